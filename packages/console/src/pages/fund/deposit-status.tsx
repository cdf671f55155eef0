import { clsx } from 'clsx'
import type { Deposit } from '../../api/funding.ts'

const TEXTS: Readonly<Record<Deposit['status'], string>> = {
  seen: 'seen',
  confirming: 'confirming',
  credited: 'credited',
  reversed: 'left the chain',
  under_review: 'under review',
  rejected: 'rejected',
}

const LOOKS: Readonly<Record<Deposit['status'], string>> = {
  seen: 'bg-sunken text-soft',
  confirming: 'bg-sunken text-soft',
  credited: 'bg-success-soft text-success',
  reversed: 'bg-warning-soft text-warning',
  under_review: 'bg-warning-soft text-warning',
  rejected: 'bg-danger-soft text-danger',
}

export function DepositStatus({ deposit }: { readonly deposit: Pick<Deposit, 'status' | 'reason'> }) {
  const text = deposit.reason === 'below_minimum' ? 'below the minimum' : TEXTS[deposit.status]
  return (
    <span className={clsx('rounded px-1.5 text-[12px] font-medium whitespace-nowrap', LOOKS[deposit.status])}>
      {text}
    </span>
  )
}
