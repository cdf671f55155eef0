import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { textLink } from '../../ui/text-link.ts'
import { type Receipted, useReceipt } from './use-receipt.ts'

/** Downloads the receipt of a request or of a transfer, and leads to where it can be checked. */
export function ReceiptButton(receipted: Receipted) {
  const { download, isBusy, error } = useReceipt(receipted)
  return (
    <section className="flex flex-col items-start gap-2">
      <Button look="secondary" isBusy={isBusy} onClick={() => void download()}>
        <Download size={14} aria-hidden />
        Download the receipt
      </Button>
      <p className="text-[12px] text-soft">
        {receipted.kind === 'request' ? 'It proves this charge.' : 'It proves that these credits were booked.'}{' '}
        <Link to="/receipt" className={textLink}>
          Check a receipt
        </Link>
      </p>
      <Failure error={error} />
    </section>
  )
}
