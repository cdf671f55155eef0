import { Wrench } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Credits } from '../../../ui/credits.tsx'
import { TextAreaField } from '../../../ui/field.tsx'
import type { Answer, ToolCall, ToolRound } from './conversation.ts'

/** A tool as the model called it. */
function Call({ call, reply }: { readonly call: ToolCall; readonly reply?: string | undefined }) {
  return (
    <div className="flex flex-col gap-1 font-mono text-[12.5px]">
      <p className="break-all whitespace-pre-wrap">
        <span className="text-accent">{call.name}</span>({call.arguments})
      </p>
      {reply !== undefined && <p className="break-words whitespace-pre-wrap text-soft">→ {reply}</p>}
    </div>
  )
}

/** What a model said and called before it went on with the replies. */
export function ToolRoundView({ round }: { readonly round: ToolRound }) {
  return (
    <div className="flex flex-col gap-2 rounded bg-sunken px-3 py-2" data-testid="tool-round">
      {round.text !== '' && <p className="break-words whitespace-pre-wrap">{round.text}</p>}
      {round.calls.map((call, at) => (
        <Call key={call.id} call={call} reply={round.replies[at]} />
      ))}
      {round.charge !== null && round.charge !== '0' && (
        <p className="text-[12px] text-soft">
          A request of its own: <Credits value={round.charge} />
        </p>
      )}
    </div>
  )
}

interface PendingCallsProps {
  readonly answer: Answer
  readonly onReplies: (replies: readonly string[]) => void
}

/** Calls without a written reply: the person plays the tool. */
export function PendingCalls({ answer, onReplies }: PendingCallsProps) {
  const { calls } = answer
  const [replies, setReplies] = useState<readonly string[]>([])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onReplies(calls.map((_, at) => replies[at] ?? ''))
  }
  if (answer.state !== 'done') {
    return (
      <div className="flex flex-col gap-2 rounded bg-sunken px-3 py-2">
        {calls.map((call, at) => (
          <Call key={at} call={call} />
        ))}
      </div>
    )
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-3 rounded bg-sunken px-3 py-2">
      {calls.map((call, at) => (
        <div key={call.id} className="flex flex-col gap-2">
          <Call call={call} />
          <TextAreaField
            label={`Reply of ${call.name}`}
            rows={2}
            className="font-mono text-[12.5px]"
            value={replies[at] ?? ''}
            onChange={({ target }) =>
              setReplies(calls.map((_, each) => (each === at ? target.value : (replies[each] ?? ''))))
            }
          />
        </div>
      ))}
      <Button type="submit" className="self-start">
        <Wrench size={14} aria-hidden />
        Reply and go on
      </Button>
    </form>
  )
}
