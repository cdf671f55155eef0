import type { AccountState } from '@svc/contract'
import { Mark, type Tone } from '../../ui/mark.tsx'

const TONES: Readonly<Record<AccountState, Tone>> = { active: 'plain', suspended: 'careful', closed: 'bad' }

export function AccountMark({ state }: { readonly state: AccountState }) {
  return <Mark tone={TONES[state]}>{state}</Mark>
}
