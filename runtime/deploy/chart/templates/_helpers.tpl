{{- define "plumbline.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end }}
{{- end }}

{{- define "plumbline.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "plumbline.labels" -}}
{{ include "plumbline.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "plumbline.image" -}}
{{ required "image.repository: where the cluster finds the image" .Values.image.repository }}@{{ required "image.digest: the digest of the release's image, sha256:…" .Values.image.digest }}
{{- end }}

{{/* Of a pod: no rights that the service does not use. */}}
{{- define "plumbline.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "plumbline.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/*
A file of a mounted secret is root's, and readable by a group once the pod has one; a key that others can read is refused. So
the keys are copied into memory, where they are the service's own.
*/}}
{{- define "plumbline.keys" -}}
- name: keys
  image: {{ include "plumbline.image" . }}
  imagePullPolicy: {{ .Values.image.pullPolicy }}
  command: [sh, -ec, "umask 077; cp /secret/signing-key.pem /secret/log-key.pem /secret/server-secret /keys/"]
  securityContext:
    {{- include "plumbline.containerSecurity" . | nindent 4 }}
  resources:
    requests: { cpu: 10m, memory: 16Mi }
    limits: { memory: 64Mi }
  volumeMounts:
    - { name: secret, mountPath: /secret, readOnly: true }
    - { name: keys, mountPath: /keys }
{{- end }}

{{- define "plumbline.volumes" -}}
- name: secret
  secret:
    secretName: {{ required "secretName: a secret with DATABASE_URL, signing-key.pem, log-key.pem and server-secret" .Values.secretName }}
    items:
      - { key: signing-key.pem, path: signing-key.pem }
      - { key: log-key.pem, path: log-key.pem }
      - { key: server-secret, path: server-secret }
- name: keys
  emptyDir: { medium: Memory, sizeLimit: 1Mi }
- name: tmp
  emptyDir: { sizeLimit: 1Gi }
{{- end }}

{{- define "plumbline.env" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef: { name: {{ .Values.secretName }}, key: DATABASE_URL }
- { name: BASE_URL, value: {{ required "baseUrl: the address at which clients reach the service" .Values.baseUrl | quote }} }
- { name: TRUST_PROXY, value: {{ .Values.trustProxy | quote }} }
- { name: SIGNING_KEY_FILE, value: /keys/signing-key.pem }
- { name: LOG_KEY_FILE, value: /keys/log-key.pem }
- { name: SERVER_SECRET_FILE, value: /keys/server-secret }
{{- end }}

{{- define "plumbline.envFrom" -}}
- configMapRef: { name: {{ include "plumbline.name" . }}-settings }
{{- range .Values.settingSecrets }}
- secretRef: { name: {{ . }} }
{{- end }}
{{- end }}
