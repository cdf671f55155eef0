import { nanocreditsFrom, type Exact, type TeamKey } from '@svc/contract'
import { useQuery, useSuspenseQueries } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft, Pencil, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useSignedIn, useTeam } from '../../api/session.ts'
import { keyQuery, modelsQuery, usageQuery } from '../../api/team.ts'
import { samplesFor } from '../../samples/code-samples.ts'
import { KEY_HINT, KEY_PLACE } from '../../samples/code-parts.ts'
import { CodeTabs } from '../../samples/code-tabs.tsx'
import { backLink } from '../../ui/back-link.ts'
import { countText } from '../../ui/count-text.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Credits, Usd } from '../../ui/credits.tsx'
import { Fact, Facts, Figure, Figures } from '../../ui/facts.tsx'
import { Card, Empty, Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { UsageTable } from '../usage/usage-table.tsx'
import { EditKeyDialog } from './edit-key-dialog.tsx'
import { RevokeKeyDialog, RotateKeyDialog } from './end-key-dialogs.tsx'
import { BudgetBar } from './key-budget.tsx'
import { KeyHolderFacts, RotateNote } from './key-holder.tsx'
import { KeyRate } from './key-rate.tsx'
import { LastUsed } from '../../ui/last-used.tsx'
import { textLink } from '../../ui/text-link.ts'

const route = getRouteApi('/signed-in/team/$teamId/keys/$keyId')

/** Where the page shows how to use the key. */
const SAMPLES = 'use-it'
const LAST_CALLS = 10
const REFRESH_MS = 15_000

/** One key: what it may spend, what it has spent, and what for. */
export function KeyPage() {
  const team = useTeam()
  const { keyId } = route.useParams()
  const [{ data: key }, { data: calls }] = useSuspenseQueries({
    queries: [
      { ...keyQuery(team.id, keyId), refetchInterval: REFRESH_MS },
      { ...usageQuery(team.id, { key: keyId }, { limit: LAST_CALLS }), refetchInterval: REFRESH_MS },
    ],
  })
  return (
    <>
      <Link to="/team/$teamId/keys" params={{ teamId: team.id }} className={backLink}>
        <ArrowLeft size={14} aria-hidden />
        Keys
      </Link>
      <Page
        title={key.name}
        lead={<span className="font-mono text-[12.5px]">{key.display}</span>}
        actions={key.status === 'active' && <KeyActions target={key} />}
      >
        <div className="flex flex-col gap-6">
          {key.status === 'active' ? <RotateNote target={key} /> : <EndedNote target={key} />}
          <Card>
            <Spending
              target={key}
              total={calls.totals.credits_charged}
              requests={calls.totals.requests}
              requestedAt={calls.data[0]?.created ?? null}
            />
          </Card>
          <Card title="Details">
            <Details target={key} />
          </Card>
          <section>
            <div className="mb-3 flex items-baseline justify-between">
              <h2 className="font-semibold">Last requests</h2>
              {calls.data.length > 0 && (
                <Link
                  to="/team/$teamId/usage"
                  params={{ teamId: team.id }}
                  search={{ key: key.id }}
                  className={textLink}
                >
                  All its requests
                </Link>
              )}
            </div>
            {calls.data.length === 0 ? (
              <Empty
                text="This key has not been used yet."
                action={
                  key.status === 'active' && !key.is_playground ? (
                    <a href={`#${SAMPLES}`} className={buttonLook('secondary')}>
                      See how to use it
                    </a>
                  ) : (
                    <Link to="/team/$teamId/keys" params={{ teamId: team.id }} className={buttonLook('secondary')}>
                      Show the keys in use
                    </Link>
                  )
                }
              />
            ) : (
              <UsageTable records={calls.data} search={{ key: key.id }} />
            )}
          </section>
          {key.status === 'active' && !key.is_playground && <Samples target={key} />}
        </div>
      </Page>
    </>
  )
}

function KeyActions({ target }: { readonly target: Exact<TeamKey> }) {
  const asked = route.useSearch().revoke === true
  const navigate = route.useNavigate()
  const [open, setOpen] = useState<'edit' | 'revoke' | 'rotate' | null>(asked ? 'revoke' : null)
  const close = (): void => {
    setOpen(null)
    if (asked) void navigate({ search: {}, replace: true })
  }
  return (
    <>
      {!target.is_playground && (
        <>
          <Button look="secondary" onClick={() => setOpen('edit')}>
            <Pencil size={14} aria-hidden />
            Change
          </Button>
          <Button look="secondary" onClick={() => setOpen('rotate')}>
            <RefreshCw size={14} aria-hidden />
            Replace
          </Button>
        </>
      )}
      <Button look="warning" onClick={() => setOpen('revoke')}>
        Revoke
      </Button>
      {open === 'edit' && <EditKeyDialog target={target} onClose={close} />}
      {open === 'rotate' && <RotateKeyDialog target={target} onClose={close} />}
      {open === 'revoke' && <RevokeKeyDialog target={target} onClose={close} />}
    </>
  )
}

function EndedNote({ target }: { readonly target: Exact<TeamKey> }) {
  const ends = [target.expires_at, target.rotate_by].filter((end) => end !== null)
  const at = target.revoked_at ?? (ends.length === 0 ? null : Math.min(...ends))
  return (
    <p className="rounded-lg bg-sunken px-4 py-3 text-soft">
      This key {target.status === 'revoked' ? 'was revoked' : 'expired'} {at !== null && <Time seconds={at} />}. It
      opens nothing any more; what it did stays in the books.
    </p>
  )
}

interface SpendingProps {
  readonly target: Exact<TeamKey>
  readonly total: string
  readonly requests: number
  /** When its newest request began, in seconds since the epoch; null where there is none. */
  readonly requestedAt: number | null
}

function Spending({ target, total, requests, requestedAt }: SpendingProps) {
  const { budget_credits: limit, budget_used: used, budget_resets_at: anew } = target
  return (
    <Figures>
      <Figure
        name="Spent so far"
        note={
          <>
            <Usd value={total} />, {countText(requests, 'request')}
          </>
        }
      >
        <Credits value={total} />
      </Figure>
      {limit === null ? (
        <Figure name="Budget" note="but what the team can spend">
          no limit
        </Figure>
      ) : (
        <Figure name={PERIOD_NAMES[target.budget_period]} note={<BudgetNote limit={limit} used={used} anew={anew} />}>
          <Credits value={used} />
        </Figure>
      )}
      {requestedAt !== null && requestedAt >= (target.last_used_at ?? 0) ? (
        <Figure name="Last request" note="last used within the same hour">
          <Time seconds={requestedAt} />
        </Figure>
      ) : (
        <Figure name="Last used" note="noted to the hour">
          <LastUsed seconds={target.last_used_at} />
        </Figure>
      )}
    </Figures>
  )
}

const PERIOD_NAMES = {
  none: 'Of its budget',
  daily: 'Of its budget today',
  weekly: 'Of its budget this week',
  monthly: 'Of its budget this month',
} as const

interface BudgetNoteProps {
  readonly limit: string
  readonly used: string
  /** Seconds since the epoch; null for never. */
  readonly anew: number | null
}

function BudgetNote({ limit, used, anew }: BudgetNoteProps) {
  const share = Math.min(1, Number((nanocreditsFrom(used) * 1_000n) / nanocreditsFrom(limit)) / 1_000)
  return (
    <>
      of <Credits value={limit} />
      {anew !== null && (
        <>
          , renewed <Time seconds={anew} />
        </>
      )}
      <BudgetBar share={share} className="mt-1.5 max-w-56" />
    </>
  )
}

function Details({ target }: { readonly target: Exact<TeamKey> }) {
  return (
    <Facts>
      <Fact name="Models">
        {target.models === null ? (
          'all'
        ) : (
          <ul className="flex flex-wrap gap-1.5">
            {target.models.map((id) => (
              <li key={id} className="rounded bg-sunken px-1.5 font-mono text-[12px] wrap-anywhere">
                {id}
              </li>
            ))}
          </ul>
        )}
      </Fact>
      <Fact name="Limit">
        <KeyRate target={target} />
      </Fact>
      <Fact name="Ends">{target.expires_at === null ? 'never' : <Time seconds={target.expires_at} />}</Fact>
      <Fact name="Made">
        <Time seconds={target.created_at} /> by {target.made_by === null ? 'the operator' : target.made_by.name}
      </Fact>
      <KeyHolderFacts target={target} />
      <Fact name="Id">
        <span className="font-mono text-[12px] wrap-anywhere text-soft">{target.id}</span>
      </Fact>
    </Facts>
  )
}

/** The secret is not known any more, so that its place is left open. */
function Samples({ target }: { readonly target: Exact<TeamKey> }) {
  const { gateway } = useSignedIn()
  const { data } = useQuery(modelsQuery)
  const model = target.models?.[0] ?? 'svc-gpt'
  const kind = data?.data.find(({ id }) => id === model)?.svc.type ?? 'text'
  return (
    <section id={SAMPLES} className="scroll-mt-20">
      <h2 className="mb-3 font-semibold">Use it</h2>
      <CodeTabs samples={samplesFor(kind, { baseUrl: gateway.api_base_url, key: KEY_PLACE, model })} />
      <p className="mt-2 text-[12px] text-soft">{KEY_HINT}</p>
    </section>
  )
}
