/** The results of a batch of messages, in Anthropic's form, made of the files that every batch has. */
import { messageError } from '../forms/messages/message-object.ts'
import { recordOf } from '../forms/translated-chat.ts'
import { scanMembers } from '../platform/json/json-body.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { Batch } from './batch.ts'
import type { BatchDeps } from './batch-deps.ts'
import { type InputFile, LineReader } from './input-file.ts'

/** Longest line of a file of results, in bytes: what is kept of a line has a limit in characters. */
const RESULT_BYTES_MAX = 64 * 1_048_576

const unmadeTypes: Readonly<Record<string, string>> = { batch_cancelled: 'canceled', batch_expired: 'expired' }

function errored(error: Readonly<Record<string, unknown>>, requestId: unknown): object {
  return { type: 'errored', error: { ...messageError(error), request_id: requestId ?? null } }
}

/** One line of a batch's file as a line of this form. */
export function renderMessageResult(text: Buffer): string {
  const line = recordOf(JSON.parse(text.toString('utf8')))
  const response = recordOf(line['response'])
  const render = (result: string): string => `{"custom_id":${JSON.stringify(line['custom_id'])},"result":${result}}\n`
  if (response['status_code'] === 200) {
    const place = scanMembers(text).get('response')
    const part = text.subarray(place?.valueStart, place?.valueEnd)
    const body = scanMembers(part).get('body')
    // As it was written: money in it keeps its digits.
    return render(`{"type":"succeeded","message":${part.toString('utf8', body?.valueStart, body?.valueEnd)}}`)
  }
  const { code, message } = recordOf(line['error'])
  const type = unmadeTypes[String(code)]
  if (type !== undefined) return render(JSON.stringify({ type }))
  const error = 'status_code' in response ? recordOf(recordOf(response['body'])['error']) : { code, message }
  return render(JSON.stringify(errored(error, response['request_id'])))
}

/**
 * Finds the results of a batch that has ended: answers first.
 *
 * @throws {ServiceError} `content_expired` where its files have ended.
 */
export async function findMessageResults({ uploads, clock }: BatchDeps, batch: Batch): Promise<AsyncGenerator<Buffer>> {
  const files: InputFile[] = []
  for (const fileId of [batch.outputFileId, batch.errorFileId]) {
    if (fileId === null) continue
    const file = await uploads.store.find(batch.accountId, fileId, clock.now())
    if (file === null) throw new ServiceError('content_expired', 'The results of this batch have expired.')
    files.push({ vault: uploads.vault, file })
  }
  return resultsOf(files)
}

async function* resultsOf(files: readonly InputFile[]): AsyncGenerator<Buffer> {
  for (const file of files) {
    const reader = new LineReader(file, { line: 0, offset: 0 }, RESULT_BYTES_MAX)
    for (let next = await reader.next(); next !== null; next = await reader.next()) {
      yield Buffer.from(renderMessageResult(next.bytes))
    }
  }
}
