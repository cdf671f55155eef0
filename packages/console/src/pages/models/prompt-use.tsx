import type { Exact, ModelEntry } from '@svc/contract'
import { ShieldCheck } from 'lucide-react'

interface PromptUseProps {
  readonly model: Pick<Exact<ModelEntry>, 'svc'>
}

/** Who may read what is sent to a model, as far as anybody says. */
export function PromptUse({ model: { svc } }: PromptUseProps) {
  if (svc.confidential) {
    return (
      <span className="inline-flex items-center gap-1.5">
        <ConfidentialMark />
        Only confidential compute serves it: its providers cannot read prompts.
      </span>
    )
  }
  return (
    <>
      This gateway stores none. Whether the maker may use them, as for training, is in no list of prices: see the terms
      of the maker.
    </>
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
