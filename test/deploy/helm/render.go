// Renders a chart as `helm template` does: Go's templates with the functions of sprig and Helm's own few. Helm itself is in no
// registry that the tests may ask. A name that is not there is an error, as with --strict.
//
// Reads {"chart": folder, "values": {...} with the chart's own, "release": {...}} from stdin, prints {"<file>": "<text>"}.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type order struct {
	Chart   string                 `json:"chart"`
	Values  map[string]interface{} `json:"values"`
	Release map[string]interface{} `json:"release"`
}

// The members of Chart.yaml that templates see, under the names that Helm gives them.
type chart struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	AppVersion string `json:"appVersion"`
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func functions(all *template.Template) template.FuncMap {
	some := sprig.TxtFuncMap()
	delete(some, "env")
	delete(some, "expandenv")
	some["include"] = func(name string, data interface{}) (string, error) {
		var text strings.Builder
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	some["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" {
			return value, fmt.Errorf("%s", message)
		}
		return value, nil
	}
	some["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	return some
}

func main() {
	var asked order
	must(json.NewDecoder(os.Stdin).Decode(&asked))
	var about chart
	text, err := os.ReadFile(filepath.Join(asked.Chart, "Chart.yaml"))
	must(err)
	must(yaml.Unmarshal(text, &about))
	data := map[string]interface{}{
		"Chart":   about,
		"Release": asked.Release,
		"Values":  asked.Values,
	}

	all := template.New("chart").Option("missingkey=error")
	all.Funcs(functions(all))
	paths, err := filepath.Glob(filepath.Join(asked.Chart, "templates", "*"))
	must(err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(err)
		_, err = all.New(filepath.Base(path)).Parse(string(text))
		must(err)
	}
	rendered := map[string]string{}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var text bytes.Buffer
		must(all.ExecuteTemplate(&text, name, data))
		rendered[name] = text.String()
	}
	must(json.NewEncoder(os.Stdout).Encode(rendered))
}
