import type { Exact, ModelEntry } from '@svc/contract'
import { ShieldCheck } from 'lucide-react'
import { TrainingMark } from '../../ui/training-mark.tsx'

interface PromptUseProps {
  readonly model: Pick<Exact<ModelEntry>, 'svc'>
}

const TRAINING_TEXTS = {
  may: 'Providers of this model may train on prompts, according to the operator of this gateway.',
  never: 'Providers of this model do not train on prompts, according to the operator of this gateway.',
  unknown: 'Whether providers of this model may train on prompts is unknown: see the terms of its maker.',
} as const

/** Who may read what is sent to a model, and train on it, as far as the operator says. */
export function PromptUse({ model: { svc } }: PromptUseProps) {
  return (
    <span className="flex flex-col items-start gap-1">
      <TrainingMark training={svc.prompt_training} />
      {svc.confidential && (
        <span className="inline-flex items-center gap-1.5">
          <ConfidentialMark />
          Only confidential compute serves it: its providers cannot read prompts.
        </span>
      )}
      <span>{TRAINING_TEXTS[svc.prompt_training ?? 'unknown']} This gateway stores none.</span>
    </span>
  )
}

export function ConfidentialMark() {
  return (
    <span title="Confidential compute: providers cannot read prompts">
      <ShieldCheck size={15} className="text-success" aria-hidden />
      <span className="sr-only">confidential compute</span>
    </span>
  )
}
