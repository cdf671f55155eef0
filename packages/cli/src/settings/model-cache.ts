/** The models of gateways as they were last seen, for completions: they cannot wait for a gateway. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export interface SeenModel {
  readonly id: string
  readonly type: string
  /** Of a model that speaks; absent where none are listed. */
  readonly voices?: readonly string[]
}

/** A model in the list of a gateway. */
interface ListedModel {
  readonly id: string
  readonly svc: { readonly type: string; readonly voices?: readonly string[] | undefined }
}

export interface SeenModels {
  /** When the list came, in milliseconds since the epoch; 0 for never. */
  readonly seenAt: number
  /** When the gateway was last asked. */
  readonly askedAt: number
  readonly models: readonly SeenModel[]
}

/** Gateways whose models are kept, the last that were asked. Source: own choice. */
const GATEWAYS_MAX = 8
/** What a shell takes as one plain word: whatever a gateway lists, nothing else gets into a command line. */
const PLAIN_ID = /^\w[\w.:@/+-]{0,255}$/
const NOTHING_SEEN: SeenModels = { seenAt: 0, askedAt: 0, models: [] }

function fileIn(folder: string): string {
  return path.join(folder, 'models.json')
}

/** Reads what is kept of a gateway. A missing or broken file holds nothing. */
export function readSeenModels(folder: string, baseUrl: string): SeenModels {
  return readFile(folder)[baseUrl] ?? NOTHING_SEEN
}

/** Keeps the models of a gateway. Where that cannot be, nothing is kept: no command fails by it. */
export function keepSeenModels(folder: string, baseUrl: string, seen: SeenModels): void {
  const models = seen.models.filter(({ id }) => PLAIN_ID.test(id)).map(plainModel)
  const { [baseUrl]: _before, ...others } = readFile(folder)
  const latest = Object.entries(others).toSorted(([, one], [, other]) => other.askedAt - one.askedAt)
  const gateways = [[baseUrl, { ...seen, models }], ...latest.slice(0, GATEWAYS_MAX - 1)]
  const draft = `${fileIn(folder)}.${process.pid}.tmp`
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(draft, JSON.stringify(Object.fromEntries(gateways)), { mode: 0o600 })
    renameSync(draft, fileIn(folder))
  } catch {
    rmSync(draft, { force: true })
  }
}

/** Keeps a list as it has just come from a gateway. */
export function keepModelList(folder: string, baseUrl: string, list: readonly ListedModel[], now: number): void {
  const models = list.map(({ id, svc: { type, voices = [] } }) => ({ id, type, voices }))
  keepSeenModels(folder, baseUrl, { seenAt: now, askedAt: now, models })
}

function plainModel({ id, type, voices = [] }: SeenModel): SeenModel {
  const plain = voices.filter((voice) => PLAIN_ID.test(voice))
  return plain.length === 0 ? { id, type } : { id, type, voices: plain }
}

function readFile(folder: string): Readonly<Record<string, SeenModels>> {
  try {
    const value: unknown = JSON.parse(readFileSync(fileIn(folder), 'utf8'))
    return Object.fromEntries(Object.entries(Object(value)).filter(isSeen))
  } catch {
    return {}
  }
}

function isSeen(entry: [string, unknown]): entry is [string, SeenModels] {
  const { seenAt, askedAt, models } = Object(entry[1]) as Readonly<Record<string, unknown>>
  return typeof seenAt === 'number' && typeof askedAt === 'number' && Array.isArray(models) && models.every(isModel)
}

function isModel(value: unknown): value is SeenModel {
  const { id, type, voices = [] } = Object(value) as Readonly<Record<string, unknown>>
  const areVoices = Array.isArray(voices) && voices.every((voice) => typeof voice === 'string' && PLAIN_ID.test(voice))
  return typeof id === 'string' && PLAIN_ID.test(id) && typeof type === 'string' && areVoices
}
