import { useSignedIn } from '../../api/session.ts'
import { Page } from '../../ui/page.tsx'
import { EmailCard } from './email-card.tsx'
import { NameCard, PasswordCard } from './person-cards.tsx'
import { PasskeyCard } from './passkey-card.tsx'
import { SecondFactorCard } from './second-factor-card.tsx'
import { Sessions } from './sessions.tsx'
import { WalletCard } from './wallet-card.tsx'

export function AccountPage() {
  const { user, gateway } = useSignedIn()
  return (
    <Page title="Account" lead={user.email ?? user.name}>
      <div className="flex flex-col gap-4">
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <NameCard />
          {user.email === null && gateway.sign_in.link && <EmailCard />}
          {gateway.sign_in.password && user.email !== null && <PasswordCard />}
          {gateway.sign_in.wallet && <WalletCard />}
          <PasskeyCard />
          <SecondFactorCard />
        </div>
        <Sessions />
      </div>
    </Page>
  )
}
