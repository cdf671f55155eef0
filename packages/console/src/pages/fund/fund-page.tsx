import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { FileText } from 'lucide-react'
import { type Claim, placesQuery, walletsQuery } from '../../api/funding.ts'
import { useCan, useSession, useTeam } from '../../api/session.ts'
import type { FundSearch } from '../../app/search.ts'
import { buttonLook } from '../../ui/button.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { ClaimForm } from './claim-form.tsx'
import { DepositHistory } from './deposit-history.tsx'
import { DepositsOff } from './deposits-off.tsx'
import { FollowClaim } from './follow-claim.tsx'
import { LinkedWallets } from './linked-wallets.tsx'
import { AlertCard } from '../team/settings-cards.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { DocumentsCard } from './documents-card.tsx'
import { Standing } from './standing.tsx'
import { PayCard } from './pay-card.tsx'

const route = getRouteApi('/signed-in/team/$teamId/fund')

/** How credits come in, and what became of each payment. */
export function FundPage() {
  const canPay = useCan('deposits:manage')
  const canSee = useCan('usage:all')
  const team = useTeam()
  return (
    <Page
      title="Funding"
      lead="Pay in USDG or ETH. 1 USD is 1,000 credits, and credits never expire."
      actions={canSee && <StatementLink />}
    >
      <div className="flex flex-col gap-6">
        <Suspense fallback={<Skeleton className="h-56 w-full" />}>
          <Standing />
        </Suspense>
        {canPay && <Paying />}
        {!canPay && canSee && <Watching />}
        {canSee && (
          <Suspense fallback={<Skeleton className="h-40 w-full" />}>
            <div className="grid items-start gap-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
              <DocumentsCard />
              <AlertCard />
            </div>
          </Suspense>
        )}
      </div>
      {!canPay && !canSee && (
        <Empty
          text="Your role cannot add credits. Ask an owner or admin of this team."
          action={
            <Link to="/team/$teamId/team" params={{ teamId: team.id }} className={buttonLook('secondary')}>
              Who they are
            </Link>
          }
        />
      )}
      <Outlet />
    </Page>
  )
}

function StatementLink() {
  const team = useTeam()
  return (
    <Link to="/team/$teamId/fund/statement" params={{ teamId: team.id }} className={buttonLook('secondary')}>
      <FileText size={14} aria-hidden />
      Monthly statement
    </Link>
  )
}

function Watching() {
  const search = route.useSearch()
  return (
    <div className="flex flex-col gap-5">
      <p className="text-soft">Your role sees deposits and cannot make any. Ask an owner, admin or billing member.</p>
      <DepositHistory search={search} />
    </div>
  )
}

function Paying() {
  const team = useTeam()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const places = useSuspenseQuery(placesQuery(team.id, useSession().gateway.has_local_chains)).data
  const place = places.chains.find(({ chainId }) => chainId === search.chain) ?? places.chains[0]
  const asset = place?.assets.find((one) => one.asset === search.asset) ?? place?.assets[0]
  const linksWallets = places.mode === 'wallet' && place !== undefined
  const wallets = useQuery({ ...walletsQuery(team.id), enabled: linksWallets }).data?.data
  const linked = wallets?.filter(({ unlinked }) => unlinked === null) ?? []
  const go = (change: FundSearch): void => {
    const { after: _after, ...rest } = search
    void navigate({
      to: '/team/$teamId/fund',
      params: { teamId: team.id },
      search: { ...rest, ...change },
      resetScroll: false,
    })
  }
  const follow = ({ chainId, asset: paid, txHash }: Claim): void => go({ chain: chainId, asset: paid, tx: txHash })
  if (place === undefined || asset === undefined) {
    return (
      <div className="flex flex-col gap-5">
        <DepositsOff />
        <DepositHistory search={search} isOpen={false} />
      </div>
    )
  }
  const followed = followedClaim(search)
  return (
    <div className="flex flex-col gap-5">
      {followed !== null && <FollowClaim key={followed.txHash} claim={followed} />}
      {linksWallets && <LinkedWallets wallets={linked} place={place} />}
      <PayCard
        places={places}
        place={place}
        asset={asset}
        canPay={!linksWallets || linked.some(({ chainId }) => chainId === place.chainId)}
        onPick={({ chainId, asset: picked }) =>
          go({
            ...(chainId === undefined ? {} : { chain: chainId }),
            ...(picked === undefined ? {} : { asset: picked }),
          })
        }
        onSent={follow}
      />
      <DepositHistory search={search} />
      <ClaimForm chosen={{ chainId: place.chainId, asset: asset.asset }} networkName={place.name} onClaim={follow} />
    </div>
  )
}

/** The address says which payment is followed, so that a reload loses nothing. */
function followedClaim({ tx, chain, asset }: FundSearch): Claim | null {
  if (tx === undefined || chain === undefined || asset === undefined) return null
  return { txHash: tx, chainId: chain, asset }
}
