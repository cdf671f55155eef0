/** The line of an output or error file that a request becomes, as clients read it and as it is kept until the end. */
import { openAnswer, sealAnswer } from '../admission/idempotency/sealed-answer.ts'
import { renderError } from '../edge/render-error.ts'
import type { VersionedSecret } from '../platform/files/sealed-bytes.ts'

/** Why a line was not made at all. */
export type Unmade = 'batch_expired' | 'batch_cancelled' | 'batch_too_large' | 'input_file_gone'

const unmadeTexts: Readonly<Record<Unmade, string>> = {
  batch_expired: 'This request could not be executed before the completion window expired.',
  batch_cancelled: 'This request was not executed, since the batch was cancelled.',
  input_file_gone: 'This request was not executed, since the input file has gone.',
  batch_too_large: 'This request was not executed: the answers of the batch are as long as those of one batch may be.',
}

/** Whose result it is. */
export interface LineIdentity {
  readonly requestId: string
  /** Null where the line cannot be read any more. */
  readonly customId: string | null
}

function idOf({ requestId }: LineIdentity): string {
  return `batch_req_${requestId.replaceAll('-', '')}`
}

function render(identity: LineIdentity, response: string, error: object | null): string {
  const id = JSON.stringify(idOf(identity))
  const customId = JSON.stringify(identity.customId)
  return `{"id":${id},"custom_id":${customId},"response":${response},"error":${JSON.stringify(error)}}`
}

function renderResponse({ requestId }: LineIdentity, status: number, body: string): string {
  return `{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":${body}}`
}

/** @param body JSON text of the answer. */
export function renderAnswered(identity: LineIdentity, body: string): string {
  return render(identity, renderResponse(identity, 200, body), null)
}

/** @param thrown what the request failed with. */
export function renderFailed(identity: LineIdentity, thrown: unknown): string {
  const { status, body } = renderError(thrown)
  return render(identity, renderResponse(identity, status, JSON.stringify(body)), null)
}

export function renderUnmade(identity: LineIdentity, code: Unmade): string {
  return render(identity, 'null', { code, message: unmadeTexts[code] })
}

/** Seals a result, for the database. */
export function sealResult(secret: VersionedSecret, batchId: string, line: number, text: string): string {
  return sealAnswer(secret, batchId, `line ${line}`, { contentType: 'application/json', headers: {}, body: text })
}

/** Opens what `sealResult` made; null where its secret is gone. */
export function openResult(
  secrets: readonly VersionedSecret[],
  batchId: string,
  { line, result }: { readonly line: number; readonly result: string | null },
): string | null {
  return result === null ? null : (openAnswer(secrets, batchId, `line ${line}`, result)?.body ?? null)
}
