import type { ModelEntry } from '@svc/contract'
import { Mark, type Tone } from './mark.tsx'

export type Training = ModelEntry['svc']['prompt_training']

interface TrainingWords {
  readonly tone: Tone
  readonly text: string
}

const UNKNOWN: TrainingWords = { tone: 'plain', text: 'training not stated' }

/** Three that cannot be taken for each other, by their words and by their colours: nothing said is no promise. */
const WORDS: Readonly<Record<NonNullable<Training>, TrainingWords>> = {
  may: { tone: 'careful', text: 'may train on prompts' },
  never: { tone: 'good', text: 'never trains on prompts' },
}

export function trainingText(training: Training): string {
  return (training === null ? UNKNOWN : WORDS[training]).text
}

/** Whether providers of a model may train on prompts. */
export function TrainingMark({ training }: { readonly training: Training }) {
  const { tone, text } = training === null ? UNKNOWN : WORDS[training]
  return <Mark tone={tone}>{text}</Mark>
}
