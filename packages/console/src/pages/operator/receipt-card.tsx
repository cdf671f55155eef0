import { openProof } from '@svc/contract/log/open-proof'
import type { Receipt } from '@svc/contract/log/receipt'
import { Link } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Card } from '../../ui/page.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { textLink } from '../../ui/text-link.ts'

interface ReceiptCardProps {
  readonly requestId: string
  readonly receipt: Receipt | null
  /** Why there is none. */
  readonly problem: string | null
}

/** Where a request is in the ledger log. */
export function ReceiptCard({ requestId, receipt, problem }: ReceiptCardProps) {
  const save = (): void =>
    saveFile(`receipt-${requestId}.json`, new Blob([JSON.stringify(receipt, null, 2)], { type: 'application/json' }))
  return (
    <Card
      title="Receipt"
      actions={
        receipt !== null && (
          <Button look="secondary" onClick={save}>
            Download
          </Button>
        )
      }
    >
      {receipt === null ? (
        <p className="text-soft">
          {problem === 'receipt_pending'
            ? 'It is not in the ledger log yet.'
            : 'There is none: the ledger log gives nothing out at the moment.'}
        </p>
      ) : (
        <Leaf receipt={receipt} />
      )}
      <p className="mt-3">
        <Link to="/receipt" className={textLink}>
          Check a receipt
        </Link>
      </p>
    </Card>
  )
}

function Leaf({ receipt: { entry, proof } }: { readonly receipt: Receipt }) {
  const opened = openProof(proof)
  return (
    <Facts>
      {opened !== null && (
        <Fact name="Leaf">
          {opened.index.toLocaleString()} of {opened.head.size.toLocaleString()} in <Code>{opened.head.origin}</Code>
        </Fact>
      )}
      <Fact name="Line of the account">{entry.number.toLocaleString()}</Fact>
      <Fact name="Digest of the record">
        <Code>{entry.record_digest ?? 'none'}</Code>
      </Fact>
      <Fact name="Operator’s digest">
        <Code>{entry.operator_digest ?? 'none'}</Code>
      </Fact>
    </Facts>
  )
}
