/** Random `multipart/form-data` bodies: right ones with a real small audio or image, and every way to be wrong. */
import fc from 'fast-check'
import { makeWav } from '../../packages/server/testing/make-wav.ts'
import { IMAGE } from '../../packages/server/testing/stub-images.ts'
import { oneIn, weighted } from './draw.ts'
import { type FormPart, type RandomForm, textPart, writeForm } from './form-parts.ts'
import { type JsonSchema, type ResolveSchema, valueFor } from './schema-values.ts'
import { spoiledForm, spoiledParts } from './spoiled-forms.ts'
import { strangeValue } from './strange-values.ts'

export interface FormDeps {
  readonly resolve: ResolveSchema
  /** Models of which the endpoint serves some. */
  readonly models: readonly string[]
}

const AUDIO = { name: 'voice.wav', type: 'audio/wav', bytes: makeWav(4_000) } as const
const PIXEL = { name: 'image.png', type: 'image/png', bytes: Buffer.from(IMAGE, 'base64') } as const

function isFile({ format }: JsonSchema): boolean {
  return format === 'binary'
}

function filePart(name: string, as = name): FormPart {
  const file = name === 'file' ? AUDIO : PIXEL
  const disposition = `content-disposition: form-data; name="${as}"; filename="${file.name}"`
  return { headers: [disposition, `content-type: ${file.type}`], content: file.bytes }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** The parts that one field of the schema becomes. */
function partsFor(
  name: string,
  schema: JsonSchema,
  { resolve, models, isRight }: FormDeps & { readonly isRight: boolean },
): fc.Arbitrary<readonly FormPart[]> {
  if (isFile(schema)) return fc.constant([filePart(name)])
  if (schema.items !== undefined && isFile(schema.items)) {
    const counts = isRight ? fc.constant(1) : fc.constantFrom(1, 2, 17)
    return fc
      .tuple(counts, fc.constantFrom(name, `${name}[]`))
      .map(([count, as]) => Array.from({ length: count }, () => filePart(name, as)))
  }
  if (name === 'model' && isRight) return fc.constantFrom(...models).map((model) => [textPart(name, model)])
  if (name === 'prompt') return fc.nat(999_999).map((number) => [textPart(name, `A boat ${number}`)])
  const right = valueFor(schema, resolve)
  return (isRight ? right : weighted([11, right], [1, strangeValue])).map((value) => {
    const values: readonly unknown[] = Array.isArray(value) ? value.slice(0, 5) : [value]
    return values.map((each) => textPart(name, textOf(each)))
  })
}

/** Whether a field is in a form: some may make a right form one that the model does not serve. */
function isTaken(name: string, schema: JsonSchema, required: ReadonlySet<string>): fc.Arbitrary<boolean> {
  if (name === 'mask') return oneIn(4)
  return required.has(name) || name === 'prompt' || isFile(schema) ? fc.constant(true) : oneIn(6)
}

/** All parts, in any order. */
function allParts(
  { properties = {}, required = [] }: JsonSchema,
  deps: FormDeps & { readonly isRight: boolean },
): fc.Arbitrary<readonly FormPart[]> {
  const needed = new Set(required)
  const streams =
    deps.isRight && 'stream' in properties ? fc.constantFrom([], [textPart('stream', 'true')]) : fc.constant([])
  const fields = Object.entries(properties).map(([name, schema]) => {
    const forgotten = deps.isRight ? fc.constant(false) : oneIn(12)
    const there = fc.tuple(isTaken(name, schema, needed), forgotten).map(([taken, gone]) => taken && !gone)
    return fc
      .tuple(there, partsFor(name, schema, deps))
      .map(([isThere, parts]) => (isThere && !(deps.isRight && name === 'stream') ? parts : []))
  })
  return fc
    .tuple(streams, ...fields)
    .chain((parts) => fc.shuffledSubarray(parts.flat(), { minLength: parts.flat().length }))
}

/** Forms of a schema of the document. */
export function randomForm(schema: JsonSchema, deps: FormDeps): fc.Arbitrary<RandomForm> {
  const boundary = fc.nat(999_999_999).map((number) => `----form${number}`)
  const written = (parts: readonly FormPart[], between: string): RandomForm => ({
    type: `multipart/form-data; boundary=${between}`,
    bytes: writeForm(parts, between),
  })
  const right = fc.tuple(allParts(schema, { ...deps, isRight: true }), boundary)
  const wrong = fc.tuple(
    allParts(schema, { ...deps, isRight: false }),
    boundary,
    fc.option(spoiledParts, { freq: 4 }),
    fc.option(spoiledForm, { freq: 2 }),
  )
  return weighted(
    [2, right.map(([parts, between]) => written(parts, between))],
    [
      3,
      wrong.map(([parts, between, spoilParts, spoilForm]) => {
        const all = spoilParts === null ? parts : spoilParts(parts)
        return spoilForm === null ? written(all, between) : spoilForm(all, between)
      }),
    ],
  )
}
