import type { depositStates } from '@svc/contract'
import { Mark, type Tone } from '../../ui/mark.tsx'

type State = (typeof depositStates)[number]

const TONES: Readonly<Record<State, Tone>> = {
  seen: 'plain',
  confirming: 'plain',
  credited: 'good',
  reversed: 'careful',
  under_review: 'careful',
  rejected: 'bad',
}

export const stateText = (state: State): string => state.replace('_', ' ')

export function DepositMark({ state }: { readonly state: State }) {
  return <Mark tone={TONES[state]}>{stateText(state)}</Mark>
}
