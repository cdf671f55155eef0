/** The end of a batch: what came of its lines becomes files of its team. */
import { FILE_SECONDS_MAX } from '@svc/contract'
import { ServiceError } from '../platform/errors/service-error.ts'
import { createId } from '../platform/runtime/ids.ts'
import { fileIdOf, type StoredFile } from '../uploads/stored-file.ts'
import type { Batch, BatchProblem } from './batch.ts'
import type { BatchWorkDeps } from './batch-deps.ts'
import type { BatchEnd, OwnedBatch } from './batch-store.ts'
import { parseRequestLine } from './batch-request-line.ts'
import { type InputFile, LineReader } from './input-file.ts'
import { openResult, renderUnmade, type Unmade } from './line-result.ts'

/** A batch of which every line that was begun has come to its end. */
export interface FinishedBatch {
  readonly owned: OwnedBatch
  readonly batch: Batch
  /** Null where its file has gone. */
  readonly input: InputFile | null
  /** Why its other lines were not made; null where there are none. */
  readonly unmade: Unmade | null
}

/** Results that are in memory at a time. */
const RESULTS_AT_ONCE = 16
/** Longest file of results, in bytes: results have a limit of their own, and lines that were not made are short. */
const OUTPUT_BYTES_MAX = 2 * 1_024 * 1_048_576

export const INPUT_GONE: BatchProblem = {
  ...{ code: 'file_not_found', message: 'The input file has gone.' },
  ...{ param: 'input_file_id', line: null },
}

/** Finds the file of a batch; null where it has gone. Its time is that of the batch, at least. */
export async function findInput(
  { uploads }: BatchWorkDeps,
  { accountId, inputFileId }: Batch,
): Promise<InputFile | null> {
  const file = await uploads.store.find(accountId, inputFileId, 0)
  return file === null ? null : { vault: uploads.vault, file }
}

async function* resultsOf(
  { lines, secrets }: BatchWorkDeps,
  { batchId }: Batch,
  state: 'completed' | 'failed',
): AsyncGenerator<Buffer> {
  for (let after = -1; ;) {
    const page = await lines.listEnded(batchId, state, { after, limit: RESULTS_AT_ONCE })
    for (const row of page) {
      const text = openResult(secrets, batchId, row)
      if (text !== null) yield Buffer.from(`${text}\n`)
    }
    const last = page.at(-1)
    if (last === undefined) return
    after = last.line
  }
}

/** Lines that were never begun, as far as they can be read. */
async function* unmadeOf({ clock }: BatchWorkDeps, { batch, input, unmade }: FinishedBatch): AsyncGenerator<Buffer> {
  if (unmade === null || input === null) return
  const reader = new LineReader(input, { line: batch.nextLine, offset: batch.nextOffset })
  try {
    for (let next = await reader.next(); next !== null; next = await reader.next()) {
      const { customId } = parseRequestLine(next.bytes, batch.endpoint)
      yield Buffer.from(`${renderUnmade({ requestId: createId(clock.now()), customId }, unmade)}\n`)
    }
  } catch (error) {
    if (!(error instanceof ServiceError && error.code === 'file_not_found')) throw error
  }
}

async function* failuresOf(deps: BatchWorkDeps, finished: FinishedBatch): AsyncGenerator<Buffer> {
  yield* resultsOf(deps, finished.batch, 'failed')
  // A file that was never checked may have lines that are no requests.
  if (finished.batch.total > 0) yield* unmadeOf(deps, finished)
}

/** Keeps a file of results; null where there are none. */
async function keepResults(
  { uploads, clock }: BatchWorkDeps,
  { batchId, accountId, outputSeconds }: Batch,
  { name, results }: { readonly name: string; readonly results: AsyncGenerator<Buffer> },
): Promise<StoredFile | null> {
  const first = await results.next()
  if (first.done === true) return null
  async function* all(): AsyncGenerator<Buffer> {
    yield first.value as Buffer
    yield* results
  }
  const createdAt = clock.now()
  const expiresAt = createdAt + (outputSeconds ?? FILE_SECONDS_MAX) * 1_000
  const kept = await uploads.vault.keep(all(), { expiresAt, bytesMax: OUTPUT_BYTES_MAX })
  const filename = `${batchId}_${name}.jsonl`
  const fileId = fileIdOf(createId(createdAt))
  return { fileId, accountId, purpose: 'batch_output', filename, createdAt, expiresAt, ...kept }
}

/** How it ends, as far as it is this process's to end. Null where it is another's. */
async function endingOf(
  { store, clock }: BatchWorkDeps,
  { owned, unmade }: FinishedBatch,
): Promise<{ readonly batch: Batch; readonly unmade: Unmade | null } | null> {
  const isOver = unmade === 'batch_cancelled' || unmade === 'batch_expired'
  const isFinal = isOver || (await store.finalize(owned, clock.now()))
  const batch = await store.get(owned.batchId)
  if (batch.state === 'cancelling') return { batch, unmade: 'batch_cancelled' }
  return isFinal || batch.state === 'finalizing' ? { batch, unmade } : null
}

function stateOf({ total, completed, failed }: Batch, unmade: Unmade | null): BatchEnd['state'] {
  if (unmade === 'batch_cancelled') return 'cancelled'
  // The last line may have come to its end when the time was over, or before the file had gone.
  if (completed + failed >= total) return 'completed'
  // Lines that cannot be read any more have no place in the error file: the batch itself says what became of them.
  if (unmade === 'input_file_gone') return 'failed'
  return unmade === 'batch_expired' ? 'expired' : 'completed'
}

/**
 * Writes the files of a batch and ends it, in one step. Any process does it again where one has died on the way: files
 * that no row names end by themselves.
 *
 * @throws what the database throws. Whether it has ended is not known then, so its files are left alone.
 */
export async function finishBatch(deps: BatchWorkDeps, finished: FinishedBatch): Promise<void> {
  const { owned } = finished
  const { store, clock, uploads, lines } = deps
  const ending = await endingOf(deps, finished)
  if (ending === null) return
  const { batch, unmade } = ending
  const output = await keepResults(deps, batch, { name: 'output', results: resultsOf(deps, batch, 'completed') })
  const failures = failuresOf(deps, { ...finished, batch, unmade })
  const errors = await keepResults(deps, batch, { name: 'error', results: failures })
  const files = [output, errors].filter((file) => file !== null)
  const state = stateOf(batch, unmade)
  const ended = {
    state,
    errors: state === 'failed' ? [INPUT_GONE] : null,
    endedAt: clock.now(),
    outputFileId: output?.fileId ?? null,
    errorFileId: errors?.fileId ?? null,
  }
  const rows = files.map((file) => uploads.store.insertion(file))
  const isEnded = await store.end(owned, ended, [...rows, lines.removal(batch.batchId)])
  if (isEnded) deps.onEnded(ended.state)
  else await Promise.all(files.map((file) => uploads.vault.remove(file)))
}
