import { EMAIL_ADDRESS_LENGTH_MAX, PASSWORD_LENGTH_MAX } from '@svc/contract'
import { clsx } from 'clsx'
import { Mail, Wallet } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import { hasPasskeys } from '../../api/passkeys.ts'
import { useSession } from '../../api/session.ts'
import { challengeWallet, sendSignInLink, signInByDemo, signInByPassword, signInByWallet } from '../../api/sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { textLink } from '../../ui/text-link.ts'
import { WhereEmailsGo } from '../../ui/where-emails-go.tsx'
import { type InjectedWallet, useInjectedWallets } from '../../wallet/injected-wallets.ts'
import { connectWallet, signText } from '../../wallet/wallet-calls.ts'
import { PasskeyWay } from './passkey-way.tsx'
import { Problem } from './problem.tsx'
import { SecondFactorForm } from './second-factor-form.tsx'
import { takeEarlyField } from './early-form.ts'
import { placeAfter, useEnter } from './use-enter.ts'

interface SignInWaysProps {
  /** The page that a mailed link leads to. */
  readonly next: string | undefined
  /** The address of a person who is known already. */
  readonly email?: string
  /** Whether the person is known to be another than the sandbox's own, whose button would leave their page. */
  readonly isAnother?: boolean
  readonly onEntered: () => void
}

/** Every way of signing in that this gateway offers. */
export function SignInWays(props: SignInWaysProps) {
  const { sign_in: offered } = useSession().gateway
  const ways = { ...offered, demo: offered.demo && props.isAnother !== true }
  const hasForm = ways.password || ways.link
  const hasAnother = ways.demo || hasForm
  const canUsePasskey = ways.passkey && hasPasskeys()
  return (
    <>
      {ways.demo && <DemoButton onEntered={props.onEntered} />}
      {ways.demo && hasForm && <Divider />}
      {hasForm && (
        <MailForm
          {...props}
          look={ways.demo ? 'secondary' : 'primary'}
          canUsePassword={ways.password}
          canSendLink={ways.link}
          offersPasskeys={canUsePasskey}
        />
      )}
      {canUsePasskey && (
        <>
          {hasAnother && <Divider />}
          <PasskeyWay onEntered={props.onEntered} />
        </>
      )}
      {ways.wallet && <Wallets hasAnother={hasAnother || canUsePasskey} onEntered={props.onEntered} />}
    </>
  )
}

function Divider() {
  return (
    <div className="flex items-center gap-3 text-[12px] text-soft">
      <span aria-hidden className="h-px flex-1 bg-line" />
      or
      <span aria-hidden className="h-px flex-1 bg-line" />
    </div>
  )
}

function DemoButton({ onEntered }: Pick<SignInWaysProps, 'onEntered'>) {
  const { enter, isBusy, wantsCode, problem } = useEnter(onEntered)
  if (wantsCode) return <SecondFactorForm onEntered={onEntered} />
  return (
    <div className="flex flex-col gap-2">
      <Button className="h-10" isBusy={isBusy} onClick={() => void enter(signInByDemo)}>
        Enter the sandbox
      </Button>
      <p className="text-soft">
        This gateway runs in sandbox mode: its credits are worth nothing, and no real model is asked.
      </p>
      <Problem text={problem} />
    </div>
  )
}

interface MailFormProps extends SignInWaysProps {
  /** Of its button: secondary where another way comes first. */
  readonly look: 'primary' | 'secondary'
  readonly canUsePassword: boolean
  readonly canSendLink: boolean
  /** Whether the browser offers passkeys where the address is typed. */
  readonly offersPasskeys: boolean
}

/** One address; then a link by mail, or a password where the person has one. */
function MailForm(props: MailFormProps) {
  const { next, email: known, onEntered, look, canUsePassword, canSendLink, offersPasskeys } = props
  const { enter, isBusy, wantsCode, problem } = useEnter(onEntered)
  const [sentTo, setSentTo] = useState<string | null>(null)
  const [isSending, setSending] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const [withPassword, setWithPassword] = useState(!canSendLink)
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const fields = new FormData(event.currentTarget)
    const email = formText(fields, 'email').trim()
    setFailure(null)
    if (withPassword) {
      await enter(() => signInByPassword({ email, password: formText(fields, 'password') }))
      return
    }
    setSending(true)
    try {
      await sendSignInLink(email, placeAfter(next))
      setSentTo(email)
    } catch (error) {
      setFailure(error instanceof Error ? error.message : 'That did not work.')
    } finally {
      setSending(false)
    }
  }
  if (wantsCode) return <SecondFactorForm onEntered={onEntered} />
  if (sentTo !== null) return <LinkSent email={sentTo} onAgain={() => setSentTo(null)} />
  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
      <TextField
        label="E-mail"
        name="email"
        type="email"
        autoComplete={offersPasskeys ? 'username webauthn' : 'username'}
        required
        maxLength={EMAIL_ADDRESS_LENGTH_MAX}
        defaultValue={known}
        ref={takeEarlyField}
      />
      {withPassword && (
        <TextField
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          maxLength={PASSWORD_LENGTH_MAX}
          ref={takeEarlyField}
        />
      )}
      <Problem text={problem ?? failure} />
      <Button type="submit" look={look} className="h-10" isBusy={isBusy || isSending}>
        {withPassword ? 'Sign in' : 'Send me a link'}
      </Button>
      {canUsePassword && canSendLink && (
        <button
          type="button"
          className="self-center py-1 text-soft underline underline-offset-2 hover:text-text"
          onClick={() => setWithPassword(!withPassword)}
        >
          {withPassword ? 'Get a link by mail instead' : 'Use a password instead'}
        </button>
      )}
    </form>
  )
}

function LinkSent({ email, onAgain }: { readonly email: string; readonly onAgain: () => void }) {
  const { mail_folder: folder } = useSession().gateway
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      <Mail size={20} className="text-accent" aria-hidden />
      <p role="status">
        If <strong className="wrap-anywhere">{email}</strong> may sign in here, a link is on its way. It works for 15
        minutes, once.
      </p>
      {folder === null ? (
        <p className="text-soft">Nothing there? Look among the spam, and whether the address is right.</p>
      ) : (
        <WhereEmailsGo folder={folder} />
      )}
      <button type="button" className={clsx(textLink, 'self-start')} onClick={onAgain}>
        Use another address
      </button>
    </div>
  )
}

async function enterByWallet({ provider }: InjectedWallet): Promise<void> {
  const place = await connectWallet(provider)
  const message = await challengeWallet(place)
  await signInByWallet({ message, signature: await signText(provider, place.address, message) })
}

/** A button for each wallet of the browser; nothing where there is none. */
function Wallets({
  hasAnother,
  onEntered,
}: Pick<SignInWaysProps, 'onEntered'> & {
  /** Whether other ways stand above. */
  readonly hasAnother: boolean
}) {
  const wallets = useInjectedWallets()
  const { enter, isBusy, wantsCode, problem } = useEnter(onEntered)
  if (wantsCode) return <SecondFactorForm onEntered={onEntered} />
  if (wallets.length === 0) return null
  return (
    <div className="flex flex-col gap-3">
      {hasAnother && <Divider />}
      {wallets.map((wallet) => (
        <Button
          key={wallet.id}
          look="secondary"
          className="h-10"
          isBusy={isBusy}
          onClick={() => void enter(() => enterByWallet(wallet))}
        >
          <Wallet size={16} aria-hidden />
          Sign in with {wallet.name}
        </Button>
      ))}
      <Problem text={problem} />
    </div>
  )
}
