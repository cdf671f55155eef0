import { FILE_BYTES_MAX, FILE_SECONDS_MAX, messageBatchRequest } from '@svc/contract'
import type { Caller } from '../access/keys/caller.ts'
import { walkElements, walkMembers } from '../platform/json/json-body.ts'
import { parseBySchema } from '../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { type CountedJson, parseJsonObject, scanBody } from '../pipeline/json-call.ts'
import { requireRoom } from '../uploads/manage-files.ts'
import { fileIdOf, type StoredFile } from '../uploads/stored-file.ts'
import { type Batch, batchIdOf, MESSAGES_PATH } from './batch.ts'
import type { BatchDeps } from './batch-deps.ts'
import { insertBatch, WINDOW_MS, type NamedLines } from './manage-batches.ts'
import { messageBatchIdOf } from './message-batch.ts'

/** Requests of a batch that were read, each as the line of a file. */
export interface MessageLines {
  readonly total: number
  readonly lines: readonly Buffer[]
}

/** JSON in one line: what is no part of a text may be a blank as well. */
function inOneLine(text: Buffer): Buffer {
  const line = Buffer.from(text)
  for (let at = 0; at < line.length; at++) if (line[at] === 0x0a || line[at] === 0x0d) line[at] = 0x20
  return line
}

/** @throws {ServiceError} 400 naming the field. */
export function readMessageLines(text: CountedJson): MessageLines {
  const { requests } = parseBySchema(messageBatchRequest, parseJsonObject(text))
  const placeOf = new Map<string, number>()
  for (const [index, { custom_id: customId }] of requests.entries()) {
    const param = `requests.${index}.custom_id`
    const earlier = placeOf.get(customId)
    if (earlier !== undefined) {
      const message = `Invalid value for '${param}': it is that of requests.${earlier}.`
      throw new ServiceError('invalid_value', message, { param })
    }
    placeOf.set(customId, index)
  }
  const place = scanBody(text).get('requests')
  const list = text.subarray(place?.valueStart, place?.valueEnd)
  const lines: Buffer[] = []
  walkElements(list, (start, end) => {
    const element = list.subarray(start, end)
    let params: Buffer = Buffer.from('{}')
    // The last of a name is what was parsed.
    walkMembers(element, (key, member) => {
      if (key === 'params') params = element.subarray(member.valueStart, member.valueEnd)
    })
    const customId = JSON.stringify(requests[lines.length]?.custom_id)
    const head = `{"custom_id":${customId},"method":"POST","url":${JSON.stringify(MESSAGES_PATH)},"body":`
    lines.push(Buffer.concat([Buffer.from(head), inOneLine(params), Buffer.from('}\n')]))
  })
  return { total: lines.length, lines }
}

async function* piecesOf(lines: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* lines
}

/**
 * Starts a batch of messages. Its requests become a file of the team, which is read when they are made.
 *
 * @throws {ServiceError} `limit_reached`.
 */
export async function startMessageBatch(
  deps: BatchDeps,
  { accountId, keyId }: Pick<Caller, 'accountId' | 'keyId'>,
  { requestId, asked, lineMost }: { readonly asked: MessageLines } & NamedLines,
): Promise<Batch> {
  const { vault, store } = deps.uploads
  await requireRoom(deps.uploads, { accountId })
  const createdAt = deps.clock.now()
  const expiresAt = createdAt + FILE_SECONDS_MAX * 1_000
  const kept = await vault.keep(piecesOf(asked.lines), { expiresAt, bytesMax: FILE_BYTES_MAX })
  const filename = `${messageBatchIdOf(batchIdOf(requestId))}.jsonl`
  const fileId = fileIdOf(requestId)
  const file: StoredFile = { fileId, accountId, purpose: 'batch', filename, createdAt, expiresAt, ...kept }
  if (!(await store.insert(file))) {
    await vault.remove(file).catch(() => undefined)
    throw new ServiceError('limit_reached', 'The files of this team take all the room that it has: delete some first.')
  }
  const begun = { accountId, keyId, endpoint: MESSAGES_PATH, inputFileId: fileId, metadata: null, outputSeconds: null }
  const times = { createdAt, startedAt: createdAt, expiresAt: createdAt + WINDOW_MS, lineMost }
  // Its lines were read: nothing is left to check.
  const batch = { ...begun, ...times, state: 'in_progress', total: asked.total } as const
  return insertBatch(deps, requestId, batch).catch(async (error: unknown) => {
    // After any other failure the batch may be there, and read its file.
    if (error instanceof ServiceError && error.code === 'limit_reached') await forget(deps, file).catch(() => undefined)
    throw error
  })
}

async function forget({ uploads: { store, vault } }: BatchDeps, file: StoredFile): Promise<void> {
  await store.delete(file.fileId)
  await vault.remove(file)
}
