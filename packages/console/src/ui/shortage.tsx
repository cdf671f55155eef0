import { useCan, useTeam } from '../api/session.ts'
import { countText } from './count-text.ts'
import { Credits } from './credits.tsx'

/** What a 402 says, by its code. The gateway's own words are for programs; its figures follow below. */
export const SHORTAGES: Readonly<Record<string, string>> = {
  insufficient_credits: 'There are not enough credits for this request.',
  team_budget_exceeded: 'What is left of the team’s spending cap does not cover this request.',
  key_budget_exceeded: 'What is left of the key’s budget does not cover this request.',
}

const link = 'font-medium underline underline-offset-2'

/** What is missing, how much less would pass, and where to give it. */
export function Shortage({ details }: { readonly details: Readonly<Record<string, unknown>> }) {
  const [needed, available, short] = ['credits_required', 'credits_available', 'credits_short'].map((name) => {
    const value = details[name]
    return typeof value === 'string' ? value : null
  })
  const tokens = details['affordable_max_tokens']
  return (
    <>
      {needed != null && available != null && short != null && (
        <>
          It can cost <Credits value={needed} withUnit={false} /> credits;{' '}
          <Credits value={available} withUnit={false} isBalance /> are left, so{' '}
          <Credits value={short} withUnit={false} /> are missing.{' '}
        </>
      )}
      {typeof tokens === 'number' && tokens > 0 && (
        <>An answer of up to {countText(tokens, 'token')} would be covered. </>
      )}
      <Remedy limit={details['limit']} address={details['topup_url']} />
    </>
  )
}

/** The gateway names the page that helps; a member who may not change anything there reads whom to ask. */
function Remedy({ limit, address }: { readonly limit: unknown; readonly address: unknown }) {
  const team = useTeam()
  const canFund = useCan('deposits:manage')
  const canManage = useCan('team:manage')
  switch (limit) {
    case 'key':
      return typeof address === 'string' && URL.canParse(address) ? (
        <a className={link} href={new URL(address).pathname}>
          Raise the key’s budget
        </a>
      ) : (
        'Raise the key’s budget.'
      )
    case 'team':
      return canManage ? (
        <a className={link} href={`/console/team/${team.id}/team`}>
          Raise the team’s spending cap
        </a>
      ) : (
        'An owner or admin of the team can raise its spending cap.'
      )
    default:
      return canFund ? (
        <a className={link} href={`/console/team/${team.id}/fund`}>
          Add credits
        </a>
      ) : (
        'Ask an owner of the team to add credits.'
      )
  }
}
