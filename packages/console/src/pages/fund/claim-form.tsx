import { parseTransactionHash } from '@svc/contract'
import { type FormEvent, useState } from 'react'
import type { Claim } from '../../api/funding.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Card } from '../../ui/page.tsx'

interface ClaimFormProps {
  /** Network and asset as they are chosen above. */
  readonly chosen: Pick<Claim, 'chainId' | 'asset'>
  readonly networkName: string
  readonly onClaim: (claim: Claim) => void
}

/** The second way: a person who has paid already names the transaction. */
export function ClaimForm({ chosen, networkName, onClaim }: ClaimFormProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const txHash = parseTransactionHash(formText(new FormData(event.currentTarget), 'hash'))
    setProblem(txHash === null ? 'A transaction hash is 0x and 64 hex digits.' : null)
    if (txHash !== null) onClaim({ ...chosen, txHash })
  }
  return (
    <Card title="Claim by transaction hash">
      <form className="flex flex-col gap-3" onSubmit={submit} noValidate>
        <TextField
          label="Transaction hash"
          name="hash"
          placeholder="0x…"
          autoComplete="off"
          spellCheck={false}
          className="font-mono text-[12.5px]"
          problem={problem}
          hint={`Deposits arrive without this. It makes the gateway look now: for ${chosen.asset} on ${networkName}.`}
        />
        <Button type="submit" look="secondary" className="self-start">
          Look for it
        </Button>
      </form>
    </Card>
  )
}
