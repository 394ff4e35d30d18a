/**
 * The archive as Croissant. The validator of MLCommons is a program in Python that is not here: the schema below was written from what
 * https://github.com/mlcommons/croissant/blob/main/docs/croissant-spec-1.1.md requires of datasets, files, sets of files, record
 * sets and fields, and from its data types.
 */
import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Ajv } from "ajv"
import formats from "ajv-formats"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { parquetMetadata } from "hyparquet"
import { Archive } from "../../core/log/archive/Archive.ts"
import { DailyClose } from "../../core/log/DailyClose.ts"
import { Ingest } from "../../core/readings/ingest/Ingest.ts"
import * as partitions from "../../core/readings/ingest/partitions.ts"
import * as Archives from "../support/archive.ts"
import * as Runs from "../support/runs.ts"
import { authority, baseUrl, Service } from "../support/service.ts"
import { json, signatureFault } from "../support/signed.ts"

const length = 86_400_000
const days = ["2026-08-31", "2026-09-01"]
const path = "/v1/archive/croissant.json"

const text = { type: "string", minLength: 1 }
const url = { type: "string", format: "uri" }
const reference = {
  type: "object",
  required: ["@id"],
  properties: { "@id": text },
  additionalProperties: false
}
const party = { type: "object", required: ["@type", "name"], properties: { name: text, url } }

const fileObject = {
  type: "object",
  required: ["@type", "@id", "contentUrl", "encodingFormat"],
  properties: {
    "@type": { const: "cr:FileObject" },
    "@id": text,
    contentUrl: url,
    contentSize: { type: "string", pattern: "^\\d+ B$" },
    sha256: { type: "string", pattern: "^[0-9a-f]{64}$" }
  }
}
const fileSet = {
  type: "object",
  required: ["@type", "@id", "containedIn", "encodingFormat", "includes"],
  properties: {
    "@type": { const: "cr:FileSet" },
    containedIn: {
      type: "object",
      required: ["@type", "fileObject"],
      properties: { "@type": { const: "cr:DataSource" }, fileObject: reference }
    }
  }
}
const field = {
  type: "object",
  required: ["@type", "@id", "dataType", "source"],
  properties: {
    "@type": { const: "cr:Field" },
    dataType: {
      enum: ["sc:Boolean", "sc:Date", "sc:Time", "sc:DateTime", "sc:Float", "sc:Integer", "sc:Text"]
    },
    source: {
      type: "object",
      required: ["fileSet", "extract"],
      properties: {
        fileSet: reference,
        extract: { type: "object", required: ["column"], properties: { column: text } }
      }
    }
  }
}
const recordSet = {
  type: "object",
  required: ["@type", "@id", "field"],
  properties: {
    "@type": { const: "cr:RecordSet" },
    key: reference,
    field: { type: "array", minItems: 1, items: field }
  }
}
const dataset = {
  type: "object",
  required: [
    "@context",
    "@type",
    "conformsTo",
    "description",
    "license",
    "name",
    "url",
    "creator",
    "datePublished",
    "distribution"
  ],
  properties: {
    "@context": {
      type: "object",
      required: ["@language", "@vocab", "sc", "cr", "dct", "conformsTo", "dataType"],
      properties: {
        "@vocab": { const: "http://schema.org/" },
        cr: { const: "http://mlcommons.org/croissant/" },
        conformsTo: { const: "dct:conformsTo" }
      }
    },
    "@type": { const: "sc:Dataset" },
    conformsTo: { type: "array", contains: { const: "http://mlcommons.org/croissant/1.1" } },
    description: text,
    license: url,
    name: text,
    url,
    creator: party,
    publisher: party,
    citeAs: { type: "string", pattern: "^@\\w+\\{" },
    datePublished: { type: "string", format: "date-time" },
    dateModified: { type: "string", format: "date-time" },
    version: { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+$" },
    isLiveDataset: { type: "boolean" },
    distribution: { type: "array", minItems: 1, items: { anyOf: [fileObject, fileSet] } },
    recordSet: { type: "array", items: recordSet }
  }
}

const ajv = formats.default(new Ajv({ strict: false, allErrors: true }))
const isValid = ajv.compile(dataset)

/** Every `@id` of elements, and of those that others refer to. */
const idsIn = (
  value: unknown
): { readonly own: ReadonlyArray<string>; readonly named: ReadonlyArray<string> } => {
  const [own, named]: [Array<string>, Array<string>] = [[], []]
  const visit = (each: unknown): void => {
    if (Array.isArray(each)) each.forEach(visit)
    else if (typeof each === "object" && each !== null) {
      const { "@id": id, ...rest } = each as Record<string, unknown>
      if (typeof id === "string") (Object.keys(rest).length === 0 ? named : own).push(id)
      Object.values(rest).forEach(visit)
    }
  }
  visit(value)
  return { own, named }
}

interface DescribedFile {
  readonly name: string
  readonly contentUrl: string
  readonly contentSize: string
  readonly sha256: string
}

interface Described {
  readonly temporalCoverage: string
  readonly distribution: readonly [
    DescribedFile,
    { readonly containedIn: { readonly transform: readonly [unknown, { readonly regex: string }] } },
    ...ReadonlyArray<DescribedFile>
  ]
  readonly recordSet: readonly [
    { readonly field: ReadonlyArray<{ readonly source: { readonly extract: { readonly column: string } } }> }
  ]
}

const services = Archive.layer.pipe(
  Layer.provide(Archives.drafts),
  Layer.provideMerge(Service.layer({ manifests: [Runs.manifest] }))
)

layer(services)("the archive as Croissant", (it) => {
  it.effect("is what the specification requires", () =>
    Effect.gen(function* () {
      const { call, keys } = yield* Service
      yield* partitions.ensure(Date.parse("2026-09-04"))
      assert.strictEqual((yield* call(path)).status, 404)
      for (const date of days) {
        const at = Date.parse(date)
        yield* TestClock.setTime(at + length / 2)
        yield* (yield* Ingest).write(
          Runs.delivery(at + length / 2, [Runs.row(at / length, `${date}T10:00:00Z`)])
        )
        yield* TestClock.setTime(at + 32 * 3_600_000)
        yield* (yield* DailyClose).run
      }
      yield* (yield* Archive).run
      const reply = yield* call(path)
      assert.strictEqual(
        reply.headers["content-type"],
        'application/ld+json; profile="http://mlcommons.org/croissant/1.1"'
      )
      assert.isUndefined(signatureFault(reply, keys, authority))
      const { "@context": context, ...document } = json(reply)
      assert.isTrue(isValid(json(reply)), ajv.errorsText(isValid.errors))
      const { named, own } = idsIn(document)
      assert.lengthOf(own, new Set(own).size)
      assert.includeMembers([...own], [...named])
      // A term that the context does not have is one of schema.org, or has its prefix.
      for (const term of [
        "citeAs",
        "isLiveDataset",
        "recordSet",
        "containedIn",
        "includes",
        "regex",
        "column"
      ])
        assert.propertyVal(context, term, `cr:${term}`)
      assert.isFalse(isValid({ ...json(reply), license: undefined }))
    })
  )

  it.effect("names files that are there, with their hashes, their sizes and their columns", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const { distribution, recordSet, temporalCoverage } = json(yield* call(path)) as unknown as Described
      assert.strictEqual(temporalCoverage, days.join("/"))
      const [sums, set, ...files] = distribution
      assert.deepStrictEqual(
        files.map(({ name }) => name),
        ["daily/2026/09/01.parquet", "daily/2026/08/31.parquet"]
      )
      for (const { contentSize, contentUrl, sha256 } of files) {
        const { body } = yield* call(contentUrl.slice(baseUrl.length))
        assert.strictEqual(createHash("sha256").update(body).digest("hex"), sha256)
        assert.strictEqual(contentSize, `${body.length} B`)
        const { schema } = parquetMetadata(new Uint8Array(body).buffer)
        assert.deepStrictEqual(
          recordSet[0].field.map(({ source }) => source.extract.column),
          schema.slice(1).map(({ name }) => name)
        )
      }
      // The list that the set is made of, read as the description says.
      const lines = (yield* call(sums.contentUrl.slice(baseUrl.length))).body.toString().trim().split("\n")
      const names = lines.map((line) => new RegExp(set.containedIn.transform[1].regex).exec(line)?.[1] ?? "")
      assert.includeMembers(
        names,
        files.map(({ name }) => name)
      )
    })
  )

  it.effect("is named where programs and people look", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      for (const place of ["/.well-known/api-catalog", "/llms.txt", "/docs/recipes", "/network/FIL"])
        assert.include((yield* call(place)).body.toString(), path, place)
    })
  )
})
