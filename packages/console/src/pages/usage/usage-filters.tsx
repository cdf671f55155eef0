import { type TeamUsageRecord, usageStatuses, usageTypes } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCan, useTeam } from '../../api/session.ts'
import { keysQuery } from '../../api/team.ts'
import type { UsageSearch } from '../../app/search.ts'
import { ownZone, SPAN_OPTIONS, spanChoice, type UsageSpan } from './usage-span.ts'
import { TextField } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { STATUS_TEXTS } from './usage-status.tsx'

const route = getRouteApi('/signed-in/team/$teamId/usage')

/** Means all keys that the playground has had. */
const PLAYGROUND = 'playground'

interface UsageFiltersProps {
  readonly search: UsageSearch
  readonly span: UsageSpan
  readonly models: readonly string[]
  /** They name a key that is not in the list of keys, such as one of the playground. */
  readonly records: readonly Pick<TeamUsageRecord, 'key_id' | 'key_name'>[]
}

const orNone = (value: string): string | undefined => (value === '' ? undefined : value)

/** What requests are shown: when they began, and of whom. */
export function UsageFilters({ search, span, models, records }: UsageFiltersProps) {
  const navigate = route.useNavigate()
  const team = useTeam()
  // Another filter begins at the newest request again.
  const set = (change: { readonly [Name in keyof UsageSearch]?: UsageSearch[Name] | undefined }): void => {
    const { after: _after, ...rest } = search
    const next = Object.entries({ ...rest, ...change }).filter(([, value]) => value !== undefined)
    void navigate({
      to: '/team/$teamId/usage',
      params: { teamId: team.id },
      search: Object.fromEntries(next),
      resetScroll: false,
    })
  }
  const shownModels = search.model === undefined || models.includes(search.model) ? models : [search.model, ...models]
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-6">
      <SelectField
        label="Time"
        value={spanChoice(search)}
        options={SPAN_OPTIONS}
        onPick={(value) =>
          value === 'custom'
            ? set({ days: undefined, from: span.first, to: span.last })
            : set({ days: Number(value) as NonNullable<UsageSearch['days']>, from: undefined, to: undefined })
        }
      />
      {search.from !== undefined && (
        <>
          <TextField
            label="From"
            type="date"
            value={span.first}
            max={span.last}
            onChange={({ target }) => target.value !== '' && set({ from: target.value })}
          />
          <TextField
            label="To"
            type="date"
            value={span.last}
            min={span.first}
            onChange={({ target }) => target.value !== '' && set({ to: target.value })}
          />
        </>
      )}
      <SelectField
        label="Days of"
        value={span.timeZone}
        options={[...new Set(['UTC', ownZone(), span.timeZone])].map((zone) => ({ value: zone, text: zone }))}
        onPick={(zone) => set({ zone: zone === 'UTC' ? undefined : zone })}
      />
      <SelectField
        label="Model"
        value={search.model ?? ''}
        options={[{ value: '', text: 'All models' }, ...shownModels.map((id) => ({ value: id, text: id }))]}
        onPick={(model) => set({ model: orNone(model) })}
      />
      <SelectField
        label="Kind"
        value={search.type ?? ''}
        options={[{ value: '', text: 'All kinds' }, ...usageTypes.map((type) => ({ value: type, text: type }))]}
        onPick={(type) => set({ type: usageTypes.find((each) => each === type) })}
      />
      <SelectField
        label="Status"
        value={search.status ?? ''}
        options={[
          { value: '', text: 'All statuses' },
          ...usageStatuses.map((status) => ({ value: status, text: STATUS_TEXTS[status] })),
        ]}
        onPick={(status) => set({ status: usageStatuses.find((each) => each === status) })}
      />
      <KeyFilter picked={search.key} records={records} onPick={(key) => set({ key: orNone(key) })} />
    </div>
  )
}

interface KeyFilterProps extends Pick<UsageFiltersProps, 'records'> {
  readonly picked: string | undefined
  readonly onPick: (key: string) => void
}

function KeyFilter({ picked, records, onPick }: KeyFilterProps) {
  const team = useTeam()
  const { data: keys } = useQuery({ ...keysQuery(team.id), enabled: useCan('keys:own') })
  const listed = (keys?.data ?? []).map(({ id, name, display }) => ({
    value: id,
    text: `${name} (${display.slice(-5)})`,
  }))
  const isListed = picked === PLAYGROUND || listed.some(({ value }) => value === picked)
  const other = isListed ? undefined : picked
  return (
    <SelectField
      label="Key"
      value={picked ?? ''}
      options={[
        { value: '', text: 'All keys' },
        { value: PLAYGROUND, text: 'The playground' },
        ...listed,
        ...(other === undefined
          ? []
          : [{ value: other, text: records.find(({ key_id: id }) => id === other)?.key_name ?? other }]),
      ]}
      onPick={onPick}
    />
  )
}
