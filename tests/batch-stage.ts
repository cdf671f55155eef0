/** Batches as a client makes them: a file of lines, the batch, and what came of it. */
import OpenAI, { toFile } from 'openai'
import type { Batch } from 'openai/resources/batches'
import { eventually } from '../packages/server/testing/eventually.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'

/** A line of an output or an error file. */
export interface ResultLine {
  readonly id: string
  readonly custom_id: string
  readonly response: {
    readonly status_code: number
    readonly request_id: string
    readonly body: {
      readonly error: { readonly code: string; readonly param: string | null }
      readonly choices: readonly { readonly message: { readonly content: string } }[]
    }
  } | null
  readonly error: { readonly code: string; readonly message: string } | null
}

export const CHAT_URL = '/v1/chat/completions'

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled'])

export function clientOf({ v1, key }: Pick<TestGateway, 'v1' | 'key'>, apiKey = key): OpenAI {
  return new OpenAI({ baseURL: v1, apiKey, maxRetries: 0 })
}

/** A line as a client writes it. */
export function requestLine(customId: string, body: object, url: string = CHAT_URL): string {
  return JSON.stringify({ custom_id: customId, method: 'POST', url, body })
}

/** So many chats, each with its number. */
export function chatLines(count: number, model = 'svc-gpt', more: object = {}): string[] {
  return Array.from({ length: count }, (_, at) =>
    requestLine(`line-${at}`, { model, messages: [{ role: 'user', content: `Number ${at}` }], ...more }),
  )
}

/** Uploads lines and starts a batch of them. */
export async function startBatch(
  client: OpenAI,
  lines: readonly string[],
  more: Partial<OpenAI.BatchCreateParams> = {},
): Promise<Batch> {
  const file = await toFile(Buffer.from(`${lines.join('\n')}\n`), 'requests.jsonl')
  const { id } = await client.files.create({ file, purpose: 'batch' })
  return client.batches.create({ input_file_id: id, endpoint: CHAT_URL, completion_window: '24h', ...more })
}

/** Waits until a batch has ended. */
export function ended(client: OpenAI, batchId: string, withinMs = 30_000): Promise<Batch> {
  return eventually(async () => {
    const batch = await client.batches.retrieve(batchId)
    if (!ENDED.has(batch.status)) throw new Error(`the batch is ${batch.status}`)
    return batch
  }, withinMs)
}

/** The lines of a file; none for no file. */
export async function linesOf(client: OpenAI, fileId: string | null | undefined): Promise<ResultLine[]> {
  if (fileId === null || fileId === undefined) return []
  const text = await (await client.files.content(fileId)).text()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ResultLine)
}

/** What the account was charged so far, in nanocredits: one for each charge. */
export async function capturesOf(gateway: TestGateway): Promise<readonly bigint[]> {
  const rows = await gateway.gateway.database.read
    .selectFrom('transfer')
    .select('charge')
    .where('kind', '=', 'capture')
    .where('account_id', '=', gateway.accountId)
    .execute()
  return rows.map((row) => row.charge)
}
