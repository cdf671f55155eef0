/** One random `multipart/form-data` body: right ones with a real small sound or picture, and every way to be wrong. */
import { makeWav } from '../../packages/server/testing/make-wav.ts'
import type { Random } from '../../packages/server/testing/random.ts'
import { PICTURE } from '../../packages/server/testing/stub-images.ts'
import { type FormPart, type RandomForm, textPart, writeForm } from './form-parts.ts'
import { type JsonSchema, type ResolveSchema, valueFor } from './schema-values.ts'
import { spoilForm, spoilParts } from './spoiled-forms.ts'
import { strangeValue } from './strange-values.ts'

export interface FormDeps {
  readonly random: Random
  readonly resolve: ResolveSchema
  /** Models of which the endpoint serves some. */
  readonly models: readonly string[]
}

const SOUND = { name: 'voice.wav', type: 'audio/wav', bytes: makeWav(4_000) } as const
const PIXEL = { name: 'picture.png', type: 'image/png', bytes: Buffer.from(PICTURE, 'base64') } as const

function isFile({ format }: JsonSchema): boolean {
  return format === 'binary'
}

function filePart(name: string, isSound: boolean): FormPart {
  const file = isSound ? SOUND : PIXEL
  const disposition = `content-disposition: form-data; name="${name}"; filename="${file.name}"`
  return { headers: [disposition, `content-type: ${file.type}`], content: file.bytes }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** The parts that one field of the schema becomes. */
function partsFor(
  name: string,
  schema: JsonSchema,
  deps: FormDeps & { readonly isRight: boolean },
): readonly FormPart[] {
  const { random, resolve, models, isRight } = deps
  const isSound = name === 'file'
  if (isFile(schema)) return [filePart(name, isSound)]
  if (schema.items !== undefined && isFile(schema.items)) {
    const count = isRight ? 1 : random.pick([1, 2, 17])
    return Array.from({ length: count }, () => filePart(random.pick([name, `${name}[]`]), isSound))
  }
  if (name === 'model') return [textPart(name, isRight ? random.pick(models) : textOf(valueFor(schema, deps)))]
  if (name === 'prompt') return [textPart(name, `A boat ${random.below(1_000_000)}`)]
  const value = random.below(12) === 0 && !isRight ? strangeValue(random) : valueFor(schema, { random, resolve })
  const values: readonly unknown[] = Array.isArray(value) ? value.slice(0, 5) : [value]
  return values.map((each) => textPart(name, textOf(each)))
}

/** Fields that may make a right form one that the model does not serve. */
function isTaken(name: string, schema: JsonSchema, required: ReadonlySet<string>, random: Random): boolean {
  if (required.has(name) || name === 'prompt' || isFile(schema)) return name !== 'mask' || random.below(4) === 0
  return random.below(6) === 0
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const rest = [...items]
  return items.map(() => rest.splice(random.below(rest.length), 1)[0] as Item)
}

/** Makes one from the schema of the document. */
export function randomForm(schema: JsonSchema, deps: FormDeps): RandomForm {
  const { random } = deps
  const isRight = random.below(5) < 2
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([name, each]) => isTaken(name, each, required, random) && (isRight || random.below(12) > 0),
  )
  const stream =
    isRight && 'stream' in (schema.properties ?? {}) && random.below(2) === 0 ? [textPart('stream', 'true')] : []
  const parts = fields
    .filter(([name]) => name !== 'stream' || stream.length === 0)
    .flatMap(([name, each]) => partsFor(name, each, { ...deps, isRight }))
  const boundary = `----form${random.below(1_000_000_000)}`
  const all = shuffled([...parts, ...stream], random)
  if (isRight) return { contentType: `multipart/form-data; boundary=${boundary}`, bytes: writeForm(all, boundary) }
  const spoiled = random.below(4) > 0 ? spoilParts(all, random) : all
  return random.below(2) === 0
    ? spoilForm(spoiled, boundary, random)
    : { contentType: `multipart/form-data; boundary=${boundary}`, bytes: writeForm(spoiled, boundary) }
}
