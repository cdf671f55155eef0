import {
  ApiError,
  createClient,
  endpoints,
  type Exact,
  KEY_NAME_LENGTH_MAX,
  type MadeTeamKey,
  type TeamUsageRecord,
} from '@svc/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Check, Play } from 'lucide-react'
import { type FormEvent, type ReactNode, useState } from 'react'
import { named } from '../../api/named.ts'
import { useCan, useSignedIn, useTeam } from '../../api/session.ts'
import { balanceQuery } from '../../api/team.ts'
import { SAMPLE_PROMPT, samplesFor } from '../../samples/code-samples.ts'
import { KEY_PLACE } from '../../samples/code-parts.ts'
import { CodeTabs } from '../../samples/code-tabs.tsx'
import { Button } from '../../ui/button.tsx'
import { Credits } from '../../ui/credits.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Card } from '../../ui/page.tsx'
import { textLink } from '../../ui/text-link.ts'
import { useAction } from '../../ui/use-action.ts'
import { useCreateKey } from '../keys/key-changes.ts'
import { KeySecret } from '../keys/key-secret.tsx'

const MODEL = 'svc-gpt'

/** From nothing to the first charge, on one card. */
export function FirstSteps({ firstCall }: { readonly firstCall: Exact<TeamUsageRecord> | null }) {
  const create = useCreateKey()
  const made = create.data ?? null
  const [isKeyGone, setKeyGone] = useState(false)
  const keyGone = (): void => {
    create.reset()
    setKeyGone(true)
  }
  return (
    <Card title="Three steps to the first request">
      <ol className="flex flex-col gap-6">
        <Step number={1} title="Make a key" isDone={made !== null}>
          {made === null ? <KeyForm create={create} /> : <KeySecret made={made} onKept={() => undefined} />}
        </Step>
        <Step number={2} title="Send a request" isDone={firstCall !== null}>
          <NoCreditsYet />
          <Samples made={made} onKeyGone={keyGone} />
          {isKeyGone && made === null && (
            <p role="alert" className="mt-3 text-warning">
              That key was revoked. Make another one above.
            </p>
          )}
        </Step>
        <Step number={3} title="See what it cost" isDone={firstCall !== null}>
          <FirstCharge call={firstCall} />
        </Step>
      </ol>
    </Card>
  )
}

/** Said before a request is refused for it. Nothing while the balance is on its way. */
function NoCreditsYet() {
  const team = useTeam()
  const { data: balance } = useQuery(balanceQuery(team.id))
  const canFund = useCan('usage:all')
  if (balance?.credits_available !== '0') return null
  return (
    <p className="mb-3 text-soft">
      There are no credits yet, and without them a request is refused.{' '}
      {canFund && (
        <Link to="/team/$teamId/fund" params={{ teamId: team.id }} className={textLink}>
          Get some first
        </Link>
      )}
    </p>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly isDone: boolean
  readonly children: ReactNode
}

function Step({ number, title, isDone, children }: StepProps) {
  return (
    <li className="grid grid-cols-[1.75rem_minmax(0,1fr)] gap-x-3">
      <span
        aria-hidden
        className={clsx(
          'flex size-7 items-center justify-center rounded-full text-[12px] font-semibold',
          isDone ? 'bg-accent text-on-accent' : 'bg-accent-soft text-accent',
        )}
      >
        {isDone ? <Check size={14} /> : number}
      </span>
      <h3 className="mb-2 leading-7 font-medium">
        {title}
        {isDone && <span className="sr-only"> (done)</span>}
      </h3>
      <div className="min-w-0 max-sm:col-span-2 sm:col-start-2">{children}</div>
    </li>
  )
}

function KeyForm({ create }: { readonly create: ReturnType<typeof useCreateKey> }) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const name = formText(new FormData(event.currentTarget), 'name')
    create.mutate({ name, budget: null, expires_at: null, models: null, requests_per_minute: null, kind: 'personal' })
  }
  return (
    <form className="flex flex-col gap-3" onSubmit={submit}>
      <div className="flex items-end gap-2">
        <div className="w-56 min-w-0">
          <TextField
            label="Name"
            name="name"
            defaultValue="first key"
            required
            maxLength={KEY_NAME_LENGTH_MAX}
            autoComplete="off"
          />
        </div>
        <Button type="submit" className="h-9" isBusy={create.isPending}>
          Make a key
        </Button>
      </div>
      <Failure error={create.error} />
    </form>
  )
}

interface SamplesProps {
  /** Null until there is a key to fill in. */
  readonly made: MadeTeamKey | null
  readonly onKeyGone: () => void
}

function Samples({ made, onKeyGone }: SamplesProps) {
  const { gateway } = useSignedIn()
  const parts = { baseUrl: gateway.api_base_url, key: made?.key ?? KEY_PLACE, model: MODEL }
  return (
    <div className="flex flex-col gap-3">
      <CodeTabs samples={samplesFor('text', parts)} />
      {made !== null && <RunHere key={made.id} apiKey={made.key} onKeyGone={onKeyGone} />}
    </div>
  )
}

interface RunHereProps {
  readonly apiKey: string
  /** Called when the gateway does not take the key any more. */
  readonly onKeyGone: () => void
}

/** Sends the very request from the page, with the new key; the answer appears as it comes. */
function RunHere({ apiKey, onKeyGone }: RunHereProps) {
  const team = useTeam()
  const cache = useQueryClient()
  const [answer, setAnswer] = useState('')
  const run = useAction<void, string | null>({
    act: async (_nothing, name) => {
      setAnswer('')
      const client = createClient({ baseUrl: `${location.origin}/api`, key: apiKey })
      const body = { model: MODEL, messages: [{ role: 'user' as const, content: SAMPLE_PROMPT }] }
      let charged: string | null = null
      for await (const event of client.stream(endpoints.createChatCompletion, { body }, named(name))) {
        const piece = event.choices[0]?.delta.content
        if (typeof piece === 'string') setAnswer((text) => text + piece)
        charged = event.svc?.credits_charged ?? charged
      }
      return charged
    },
    // Not waited for: the answer is there, whatever the figures around it take.
    onSettled: () => void cache.invalidateQueries({ queryKey: ['team', team.id] }),
    onError: (error) => {
      if (error instanceof ApiError && error.is('invalid_api_key')) onKeyGone()
    },
  })
  return (
    <div className="flex flex-col items-start gap-3">
      <Button look="secondary" isBusy={run.isPending} onClick={() => run.mutate()}>
        {!run.isPending && <Play size={14} aria-hidden />}
        Run it here
      </Button>
      <div aria-live="polite" className="flex w-full flex-col gap-2">
        {answer !== '' && <p className="rounded-lg bg-sunken p-4 whitespace-pre-wrap">{answer}</p>}
        {run.isSuccess && answer === '' && <p className="text-soft">The answer came without a text.</p>}
        {run.isSuccess && run.data !== null && (
          <p className="text-[12px] text-soft">
            This request cost <Credits value={run.data} />.
          </p>
        )}
        {run.isError && (
          <p className="text-[12px] text-soft">
            {run.error instanceof ApiError && answer === ''
              ? 'It cost 0 credits: a request that fails before it answers is free.'
              : 'What it cost, if anything, appears below and in Usage.'}
          </p>
        )}
      </div>
      <Failure error={run.error} />
    </div>
  )
}

function FirstCharge({ call }: { readonly call: Exact<TeamUsageRecord> | null }) {
  const team = useTeam()
  if (call === null) return <p className="text-soft">The charge of the request appears here, to the last digit.</p>
  return (
    <p role="status">
      <span className="font-medium">
        <Credits value={call.credits_charged} withUsd />
      </span>{' '}
      for a request to <span className="font-mono">{call.model}</span>.{' '}
      <Link
        to="/team/$teamId/usage/$requestId"
        params={{ teamId: team.id, requestId: call.request_id }}
        className="text-accent underline underline-offset-2"
      >
        Why this much?
      </Link>
    </p>
  )
}
