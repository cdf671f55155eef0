/** What a failure means for the user: what happened, what to do next, and how the command ends. */
import { ApiError, ConnectionError } from '@svc/contract'
import { creditsText } from './credits-text.ts'
import { exitCodes, type ExitCode } from './exit-codes.ts'

export interface Explanation {
  readonly message: string
  /** Null when nothing more is to be said. */
  readonly advice: string | null
  readonly exitCode: ExitCode
}

/** What programs branch on: the gateway's own words for a failure. Null where it said nothing. */
export function codesOf(error: unknown): {
  readonly code: string | null
  readonly param: string | null
  readonly request_id: string | null
} {
  if (!(error instanceof ApiError)) return { code: null, param: null, request_id: null }
  return { code: error.code, param: error.param, request_id: error.requestId }
}

/** Explains a failure of the gateway or of the way to it; null for anything else. */
export function explainError(error: unknown): Explanation | null {
  if (error instanceof ApiError) return explainApiError(error)
  if (!(error instanceof ConnectionError)) return null
  return {
    message: error.message,
    advice: 'Is the gateway running there? Name another address with --base-url or SVC_BASE_URL.',
    exitCode: exitCodes.failed,
  }
}

function explainApiError(error: ApiError): Explanation {
  if (error.status === 402) return explainCredits(error)
  const advice = adviceFor(error)
  const id = error.requestId === null || error.status < 500 ? '' : ` (request ${error.requestId})`
  return {
    message: `${error.message}${id}`,
    advice,
    exitCode: error.status === 401 ? exitCodes.notSignedIn : exitCodes.failed,
  }
}

function explainCredits(error: ApiError): Explanation {
  const [required, available, short] = ['credits_required', 'credits_available', 'credits_short'].map((name) =>
    amountOf(error.details[name]),
  )
  const message =
    required == null || available == null || short == null
      ? error.message
      : `This needs ${required}, and ${ownerOf(error)} ${available}: ${short} are missing.`
  const affordable = error.details['affordable_max_tokens']
  const shorter =
    typeof affordable === 'number' && affordable > 0 ? ` Or ask for less: --max-tokens ${affordable}.` : ''
  return { message, advice: `${fundingAdvice(error)}${shorter}`, exitCode: exitCodes.notEnoughCredits }
}

/** Which spending limit was too low decides what helps. */
function ownerOf(error: ApiError): string {
  const limit = error.details['limit']
  if (limit === 'key') return "this key's budget has"
  return limit === 'team' ? "your team's cap leaves" : 'you have'
}

function fundingAdvice(error: ApiError): string {
  const limit = error.details['limit']
  const url = error.details['topup_url']
  const page = typeof url === 'string' ? `at ${url}` : 'in the console'
  if (limit === 'key') return `Raise the key's budget ${page}, or use another key.`
  if (limit === 'team') return `Raise the team's spending cap ${page}.`
  const place = typeof url === 'string' ? ` or ${url}` : ''
  return `Add credits: \`svc deposit address\`${place}.`
}

function amountOf(value: unknown): string | null {
  return typeof value === 'string' ? creditsText(value) : null
}

function adviceFor(error: ApiError): string | null {
  if (error.status === 401) return 'Sign in again with `svc login`, or check SVC_API_KEY.'
  if (error.is('model_not_found')) return '`svc models WORD` finds the models that there are.'
  if (error.status === 400 && error.param === 'voice') return '`svc voices MODEL` lists the voices of a model.'
  if (error.status === 403) return 'Use a key that has this right; `svc whoami` shows the present one.'
  const { retryAfterMs } = error
  if (retryAfterMs !== null) return `Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`
  return error.requestId === null || error.status < 500 ? null : `svc usage ${error.requestId} tells what became of it.`
}
