import type { ReactNode } from 'react'
import { Shortage, SHORTAGES } from '../../../ui/shortage.tsx'
import type { FailureFacts } from './failure-facts.ts'

/** Said in place of the gateway's words, which are for programs; figures follow below. */
const SENTENCES: Readonly<Record<string, string>> = {
  invalid_api_key: 'The key of this playground was revoked.',
  ...SHORTAGES,
}

/** Why there is no answer, what helps, and the id that the operator finds it by. */
export function PlayFailure({ facts, onAgain }: { readonly facts: FailureFacts; readonly onAgain?: () => void }) {
  const { message, code, requestId } = facts
  return (
    <div role="alert" className="flex flex-col gap-1.5 rounded bg-danger-soft px-3 py-2 text-danger">
      <p className="break-words">{(code !== null && SENTENCES[code]) || message}</p>
      <Help facts={facts} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-[12px]">
        {onAgain !== undefined && (
          <button type="button" onClick={onAgain} className="py-1 font-medium underline underline-offset-2">
            {code === 'invalid_api_key' ? 'Go on with a new key' : 'Try again'}
          </button>
        )}
        {requestId !== null && <span className="font-mono break-all">Request {requestId}</span>}
      </div>
    </div>
  )
}

function Help({ facts: { code, details } }: { readonly facts: FailureFacts }): ReactNode {
  switch (code) {
    case 'insufficient_credits':
    case 'team_budget_exceeded':
    case 'key_budget_exceeded':
      return (
        <p>
          <Shortage details={details} />
        </p>
      )
    case 'content_policy_violation':
      return <p>The model’s maker refused it. Say it in other words, or ask another model.</p>
    case 'rate_limit_exceeded':
      return <p>Wait a moment, then try again.</p>
    case 'not_signed_in':
      return (
        <a
          className="inline-flex min-h-[24px] items-center self-start font-medium underline underline-offset-2"
          href={`/console/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`}
        >
          Sign in again
        </a>
      )
    default:
      return null
  }
}
