import { journalActions, type JournalReply } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { journalQuery } from '../../api/operator.ts'
import type { JournalSearch } from '../../app/operator-search.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Mark, type Tone } from '../../ui/mark.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { textLink } from '../../ui/text-link.ts'
import { Time } from '../../ui/time.tsx'
import { Paging } from './paging.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'

const route = getRouteApi('/signed-in/team/$teamId/operator/journal')

type Entry = JournalReply['data'][number]

const ACTIONS: Readonly<Record<Entry['action'], string>> = {
  'settings.change': 'Changed settings',
  'offer.change': 'Changed a price or route',
  'limit.change': 'Changed a limit of the gateway',
  'announcement.publish': 'Announced something',
  'announcement.withdraw': 'Took back an announcement',
  'operator.add': 'Made an operator',
  'operator.remove': 'Removed an operator',
  'account.create': 'Made an account',
  'account.suspend': 'Suspended an account',
  'account.resume': 'Resumed an account',
  'account.close': 'Closed an account',
  'account.export': 'Exported an account',
  'account.erase': 'Erased an account',
  'account.limits': 'Set limits of an account',
  'person.reset_factor': 'Removed a second factor',
  'credits.grant': 'Gave credits',
  'credits.adjust': 'Corrected a balance',
  'deposit.release': 'Released a deposit',
  'deposit.reject': 'Rejected a deposit',
  'key.create': 'Made a key',
  'key.change': 'Changed a key',
  'key.revoke': 'Revoked a key',
  'key.rotate': 'Rotated a key',
  'mail.retry': 'Had an email tried again',
  'mail.suppress': 'Ended emails to an address',
  'requests.archive': 'Archived requests',
  'audit.run': 'Started an audit',
  'reconciliation.run': 'Started a reconciliation',
  'store.go_live': 'Ended test money',
  'log.replace_key': 'Replaced the key of the ledger log',
  'log.begin_anew': 'Began a new ledger log',
}

const OUTCOMES: Readonly<Record<NonNullable<Entry['outcome']>, readonly [string, Tone]>> = {
  done: ['done', 'good'],
  unchanged: ['was so before', 'plain'],
  refused: ['refused', 'careful'],
  failed: ['failed', 'bad'],
}

const WAYS = { console: 'in the console', command: 'by a command', start: 'at the start' } as const

export function JournalPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error } = useQuery(journalQuery(search))
  return (
    <Page title="Journal" lead="What operators did: when, what and why. Nothing here can be changed.">
      <div className="flex flex-col gap-4">
        <Filters search={search} />
        <Failure error={error} />
        {data === undefined && error === null && <RowsSkeleton />}
        {data?.data.length === 0 && (
          <Empty
            text="No entry matches this filter."
            action={
              <Button look="secondary" onClick={() => void navigate({ search: {}, replace: true })}>
                Show the whole journal
              </Button>
            }
          />
        )}
        {data !== undefined && data.data.length > 0 && (
          <ol
            className="flex flex-col divide-y divide-line rounded-lg border border-line bg-surface"
            aria-label="Journal"
          >
            {data.data.map((entry) => (
              <EntryRow key={entry.id} entry={entry} />
            ))}
          </ol>
        )}
        <Paging after={search.after} next={data?.has_more === true ? data.data.at(-1)?.id : undefined} what="entries" />
      </div>
    </Page>
  )
}

function Filters({ search: { action, account } }: { readonly search: JournalSearch }) {
  const navigate = route.useNavigate()
  const { teamId } = route.useParams()
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
      <SelectField
        label="What"
        className="w-56"
        value={action ?? ''}
        options={[
          { value: '', text: 'Everything' },
          ...journalActions.map((each) => ({ value: each, text: ACTIONS[each] })),
        ]}
        onPick={(picked) => {
          const found = journalActions.find((each) => each === picked)
          const kept = account === undefined ? {} : { account }
          void navigate({ search: found === undefined ? kept : { ...kept, action: found }, replace: true })
        }}
      />
      {account !== undefined && (
        <p className="pb-2 text-soft">
          to the account <span className="font-mono text-[12px]">{account.slice(0, 8)}…</span>{' '}
          <Link
            to="/team/$teamId/operator/journal"
            params={{ teamId }}
            search={action === undefined ? {} : { action }}
            className={textLink}
          >
            to all
          </Link>
        </p>
      )}
    </div>
  )
}

function EntryRow({ entry }: { readonly entry: Entry }) {
  const { teamId } = route.useParams()
  const [outcome, tone] = entry.outcome === null ? (['unknown', 'careful'] as const) : OUTCOMES[entry.outcome]
  return (
    <li className="flex flex-col gap-1 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{ACTIONS[entry.action]}</span>
        {entry.outcome !== 'done' && <Mark tone={tone}>{outcome}</Mark>}
        <span className="ml-auto text-[12px] whitespace-nowrap text-soft">
          <Time seconds={entry.at} />
        </span>
      </div>
      {entry.reason !== null && <p className="break-words">{entry.reason}</p>}
      {entry.details.length > 0 && (
        <ul className="flex flex-wrap gap-x-5 gap-y-1 text-[12px]">
          {entry.details.map(({ name, value }) => (
            <li key={name} className="figures break-all">
              <span className="text-soft">{name.replaceAll('_', ' ')}</span> {value}
            </li>
          ))}
        </ul>
      )}
      <p className="text-[12px] break-words text-soft">
        {entry.by}, {WAYS[entry.way]}
        {entry.account_id !== null && (
          <>
            {' · '}
            <Link
              to="/team/$teamId/operator/accounts/$accountId"
              params={{ teamId, accountId: entry.account_id }}
              className={textLink}
            >
              account {entry.account_id.slice(0, 8)}…
            </Link>
          </>
        )}
      </p>
    </li>
  )
}
