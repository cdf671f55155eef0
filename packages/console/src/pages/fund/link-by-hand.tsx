import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import type { Place } from './place.ts'
import { useLinkSigned, useWalletChallenge } from './wallet-changes.ts'

const ADDRESS = /^0x[0-9a-f]{40}$/i
const SIGNATURE = /^0x(?:[0-9a-f]{2})+$/i

/** For wallets that sign elsewhere: hardware, multisigs and other contracts. */
export function LinkByHand({ place }: { readonly place: Place }) {
  const challenge = useWalletChallenge()
  const link = useLinkSigned()
  const [problem, setProblem] = useState<string | null>(null)
  const message = link.isSuccess ? undefined : challenge.data?.message
  const ask = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const address = formText(new FormData(event.currentTarget), 'address').trim()
    setProblem(ADDRESS.test(address) ? null : 'An address is 0x and 40 hex digits.')
    link.reset()
    if (ADDRESS.test(address)) challenge.mutate({ address, chainId: place.chainId })
  }
  return (
    <details>
      <summary className="cursor-pointer text-soft hover:text-text">Sign elsewhere and paste the signature</summary>
      <form className="mt-3 flex flex-col gap-3" onSubmit={ask} noValidate>
        <TextField
          label={`Address on ${place.name}`}
          name="address"
          placeholder="0x…"
          autoComplete="off"
          spellCheck={false}
          problem={problem}
          className="font-mono text-[12.5px]"
        />
        <Button type="submit" look="secondary" className="self-start" isBusy={challenge.isPending}>
          Get the message
        </Button>
        <Failure error={challenge.error} />
      </form>
      {message !== undefined && <SignedForm message={message} link={link} />}
    </details>
  )
}

interface SignedFormProps {
  readonly message: string
  readonly link: ReturnType<typeof useLinkSigned>
}

function SignedForm({ message, link }: SignedFormProps) {
  const [problem, setProblem] = useState<string | null>(null)
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const signature = formText(new FormData(event.currentTarget), 'signature').trim()
    setProblem(SIGNATURE.test(signature) ? null : 'A signature is 0x and hex digits.')
    if (SIGNATURE.test(signature)) link.mutate({ message, signature })
  }
  return (
    <form className="mt-4 flex flex-col gap-3" onSubmit={submit} noValidate>
      <p className="text-soft">Sign exactly this text within ten minutes.</p>
      <pre
        className="overflow-x-auto rounded border border-line bg-sunken p-3 font-mono text-[12px] leading-5"
        tabIndex={0}
      >
        {message}
      </pre>
      <CopyButton text={message} what="the message" className="self-start">
        Copy the message
      </CopyButton>
      <TextAreaField
        label="Signature"
        problem={problem}
        name="signature"
        rows={3}
        spellCheck={false}
        className="font-mono text-[12.5px]"
      />
      <Button type="submit" className="self-start" isBusy={link.isPending}>
        Link the wallet
      </Button>
      <Failure error={link.error} />
    </form>
  )
}
