import { ApiError, shortDecimal } from '@svc/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useEffect, useRef } from 'react'
import { type Claim, claimQuery, type ClaimState, depositQuery } from '../../api/funding.ts'
import { useTeam } from '../../api/session.ts'
import { buttonLook } from '../../ui/button.tsx'
import { Credits } from '../../ui/credits.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Card } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { quietLink } from '../../ui/text-link.ts'
import { DepositProgress, type Progress, progressOf } from './deposit-progress.tsx'
import { Network, networkName } from '../../ui/network-mark.tsx'

/** What a refusal means for this payment; other codes speak for themselves. */
const REFUSALS: Readonly<Record<string, (claim: Claim, told: string) => string>> = {
  transaction_not_found: ({ chainId }) =>
    `${networkName(chainId)} does not know this transaction. A new one takes some seconds to spread; check the hash ` +
    'and the network, too.',
  transaction_reverted: () =>
    'The transaction failed on the network; it moved nothing, and there is nothing to credit.',
  deposit_not_found: () =>
    'It paid no address of this team on this network. Compare the address that it was sent to with the one below.',
  wallet_not_linked: () =>
    'The wallet that has sent it is not linked to this team. Link it below; then it is credited.',
  amount_below_minimum: (_claim, told) => `${told} You need not claim it again.`,
  unsupported_token: () => 'It paid this team in a token that is not taken here. Ask the operator about it.',
  chain_unavailable: ({ chainId }) =>
    `${networkName(chainId)} cannot be read at the moment. Nothing is lost: deposits are found later, too.`,
}

/** One payment that was claimed, from its hash to the balance. */
export function FollowClaim({ claim }: { readonly claim: Claim }) {
  const team = useTeam()
  const client = useQueryClient()
  const claimed = useQuery(claimQuery(team.id, claim))
  const reply = claimed.data?.reply
  const deposit = useQuery(depositQuery(team.id, reply?.id ?? null)).data
  const isCredited = deposit?.status === 'credited' || reply?.credited === true
  useEffect(() => {
    // Balance, list and statement are other queries of the team; all of them have changed.
    if (isCredited) void client.invalidateQueries({ queryKey: ['team', team.id] })
  }, [isCredited, client, team.id])
  const progress: Progress | null = deposit === undefined ? progressOfReply(reply) : progressOf(deposit)
  const { error } = claimed
  const depositId = reply?.id ?? null
  useEffect(() => {
    // The list has it from now on.
    if (depositId !== null) void client.invalidateQueries({ queryKey: ['team', team.id, 'deposits'] })
  }, [depositId, client, team.id])
  const place = useRef<HTMLDivElement>(null)
  // The claimer, at the end of the page, sees what becomes of it.
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={place} className="scroll-mt-20">
      <Card
        title="This payment"
        actions={
          <Link
            to="/team/$teamId/fund"
            params={{ teamId: team.id }}
            search={({ tx: _tx, ...rest }) => rest}
            resetScroll={false}
            className={clsx(quietLink, 'text-[12px]')}
          >
            Done
          </Link>
        }
      >
        <div className="flex flex-col gap-4">
          <p className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <span className="font-semibold">
              {reply?.amount == null ? claim.asset : `${shortDecimal(reply.amount)} ${claim.asset}`}
            </span>
            {reply?.credits != null && <Credits value={reply.credits} />}
            <span className="text-soft">
              <Network chainId={claim.chainId} />
            </span>
            <span className="w-full truncate font-mono text-[12px] text-soft">{claim.txHash}</span>
          </p>
          {error !== null && <Failure error={explained(error, claim)} />}
          {error instanceof ApiError && error.is('asset_mismatch') && <OtherAsset claim={claim} />}
          {error instanceof ApiError && error.retryAfterMs !== null && (
            <p role="status" className="text-soft">
              This page asks again by itself.
            </p>
          )}
          {error === null && progress === null && <Skeleton className="h-20 w-full" />}
          {error === null && progress !== null && <DepositProgress progress={progress} />}
        </div>
      </Card>
    </div>
  )
}

/** It paid this team in the other asset: one press looks for that. */
function OtherAsset({ claim }: { readonly claim: Claim }) {
  const team = useTeam()
  const asset = claim.asset === 'ETH' ? 'USDG' : 'ETH'
  return (
    <Link
      to="/team/$teamId/fund"
      params={{ teamId: team.id }}
      search={(search) => ({ ...search, asset })}
      resetScroll={false}
      className={clsx(buttonLook('secondary'), 'self-start')}
    >
      Look for it as {asset}
    </Link>
  )
}

/** The sentence for this payment, where there is one; a sign-in that is too old keeps its own way out. */
function explained(error: Error, claim: Claim): Error {
  const explain = error instanceof ApiError ? REFUSALS[error.code ?? ''] : undefined
  return explain === undefined ? error : new Error(explain(claim, error.message))
}

/** As long as there is no deposit to follow, the claim's own answer says how far it is. */
function progressOfReply(reply: ClaimState['reply'] | undefined): Progress | null {
  if (reply === undefined || reply.id !== null) return null
  const { status, reason, eta_seconds } = reply
  return { status, reason, eta_seconds, seenAt: null, finalAt: null, creditedAt: null }
}
