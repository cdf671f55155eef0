import { usdShown } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { evidenceQuery } from '../../api/operator.ts'
import { assetAmount } from '../../ui/asset-amount.ts'
import { Code } from '../../ui/code.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import type { Deposit } from './deposits-page.tsx'

/** What each provider of the chain says of a deposit now, side by side with what is recorded. */
export function DepositEvidence({ deposit }: { readonly deposit: Deposit }) {
  const { data, error } = useQuery(evidenceQuery(deposit.id))
  return (
    <section aria-live="polite">
      <h3 className="mb-2 font-semibold">What the providers say</h3>
      <Failure error={error} />
      {data === undefined && error === null && <Skeleton className="h-28 w-full" />}
      {data?.providers === null && (
        <p className="text-soft">
          No node can be asked: this gateway does not watch the chain, or the transaction is unknown.
        </p>
      )}
      <div className="flex flex-col gap-3">
        {data?.providers?.map((provider) => (
          <Provider key={provider.name} provider={provider} deposit={deposit} />
        ))}
      </div>
    </section>
  )
}

type Words = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<typeof evidenceQuery>['queryFn']>>>>
type ProviderWords = NonNullable<Words['providers']>[number]

const STATES = {
  unknown: 'knows no such transaction',
  unmined: 'has it in no block yet',
  displaced: 'had it in a block that left the chain',
  reverted: 'says that it failed',
  mined: 'has it in a block',
} as const

function Provider({ provider, deposit }: { readonly provider: ProviderWords; readonly deposit: Deposit }) {
  const { name, problem, state, block, transfer } = provider
  return (
    <div className="rounded border border-line p-3">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <span className="font-medium first-letter:uppercase">{name}</span>
        {problem !== null ? (
          <Mark tone="careful">does not answer</Mark>
        ) : (
          <Mark tone={provider.is_as_recorded ? 'good' : 'bad'}>
            {provider.is_as_recorded ? 'as recorded' : 'differs'}
          </Mark>
        )}
      </div>
      {problem !== null && <p className="break-words text-soft">{problem}</p>}
      {state !== null && (
        <Facts>
          <Fact name="Transaction">{STATES[state]}</Fact>
          {block !== null && (
            <Fact name="Block">
              {block.number.toLocaleString()}, {provider.finality}, <Time seconds={block.time} />
            </Fact>
          )}
          {state === 'mined' && (
            <Fact name="Transfer">
              {transfer === null ? (
                'none at this place'
              ) : (
                <>
                  {assetAmount(transfer.amount, transfer.asset)} from <Code>{transfer.from}</Code>
                  {transfer.from !== deposit.sender && deposit.sender !== null && (
                    <Mark tone="bad">another sender</Mark>
                  )}
                </>
              )}
            </Fact>
          )}
          <Fact name="Price">
            {provider.price_usd === null ? 'none' : `${usdShown(provider.price_usd, 'exact')} for one`}
          </Fact>
        </Facts>
      )}
    </div>
  )
}
