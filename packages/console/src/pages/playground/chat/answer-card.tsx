import { ownMember } from '@svc/contract'
import { ChevronLeft, ChevronRight, GitBranch, RotateCcw } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { countText } from '../../../ui/count-text.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { ChargeLine } from '../pay/charge-line.tsx'
import { PlayFailure } from '../pay/play-failure.tsx'
import { AnswerFigures } from './answer-figures.tsx'
import { AnswerText } from './answer-text.tsx'
import type { Answer } from './conversation.ts'
import { PendingCalls, ToolRoundView } from './tool-calls.tsx'
import { SHOWN_MAX } from './gather-changes.ts'

interface AnswerCardProps {
  readonly answer: Answer
  /** Its place among the answers of the lane, from 0. */
  readonly at: number
  readonly count: number
  /** Whether several models answer side by side: then each says which it is. */
  readonly isOneOfMany: boolean
  readonly onShow: (at: number) => void
  readonly onRetry: () => void
  readonly onBranch: () => void
  /** Called with what the person answers for each tool that was called. */
  readonly onReplies: (replies: readonly string[]) => void
}

const ENDINGS: Readonly<Record<string, string>> = {
  length: 'The answer reached its limit.',
  content_filter: 'The model’s maker ended it.',
}

/** Why an answer is shorter than it might be; null where it is whole. */
function endingOf({ state, finish, limit }: Answer): string | null {
  if (state === 'stopped') return 'You stopped it. What had come is charged.'
  if (state === 'cut') return 'The page was left. What had come is charged.'
  const ending = ownMember(ENDINGS, finish) ?? null
  return finish === 'length' && limit !== null
    ? `The credits that were available paid for ${countText(limit, 'token')}: the answer ends there.`
    : ending
}

export function AnswerCard(props: AnswerCardProps) {
  const { answer, at, count, isOneOfMany, onShow, onRetry, onBranch, onReplies } = props
  const isRunning = answer.state === 'running'
  const ending = endingOf(answer)
  return (
    <article
      aria-label={`Answer of ${answer.model}`}
      aria-busy={isRunning}
      data-state={answer.state}
      className="flex min-w-0 flex-col gap-2 rounded-lg border border-line bg-surface p-3"
    >
      <header className="flex items-center gap-2 text-[12px] text-soft">
        <span className="min-w-0 flex-1 truncate font-mono">{answer.model}</span>
        {count > 1 && <Versions at={at} count={count} onShow={onShow} />}
      </header>
      {answer.rounds.map((round, index) => (
        <ToolRoundView key={index} round={round} />
      ))}
      {answer.reasoning !== '' && (
        <details className="rounded bg-sunken px-3 py-1.5 text-soft">
          <summary className="cursor-default select-none">Reasoning</summary>
          <p className="mt-1 max-h-60 overflow-auto break-words whitespace-pre-wrap" tabIndex={0}>
            {answer.reasoning.slice(0, SHOWN_MAX)}
            {answer.reasoning.length > SHOWN_MAX && ' …'}
          </p>
        </details>
      )}
      {answer.text !== '' && <AnswerText text={answer.text} />}
      {answer.images.map((url, index) => (
        <img key={index} src={url} alt={`Image ${index + 1} of the answer`} className="max-w-full rounded" />
      ))}
      {answer.calls.length > 0 && <PendingCalls answer={answer} onReplies={onReplies} />}
      {isRunning && answer.text === '' && answer.calls.length === 0 && <Waiting />}
      {ending !== null && <p className="text-[12px] text-warning">{ending}</p>}
      {answer.failure !== null && (
        <PlayFailure facts={{ ...answer.failure, requestId: answer.requestId }} onAgain={onRetry} />
      )}
      {!isRunning && <AnswerFigures answer={answer} />}
      <footer className="mt-auto flex flex-wrap items-center gap-x-2 gap-y-1 pt-1">
        <div className="min-w-[15rem] flex-1">
          {!isRunning && (
            <ChargeLine
              charge={answer.charge}
              requestId={answer.requestId}
              isEstimated={answer.isEstimated}
              isPending={answer.charge === null}
            />
          )}
        </div>
        {!isRunning && (
          <div className="ml-auto flex items-center">
            {answer.text !== '' && (
              <CopyButton look="quiet" text={answer.text} what="the answer" className="h-7! px-2! text-[12px]" />
            )}
            <Button look="quiet" className="h-7! px-2!" onClick={onRetry} aria-label={`Retry ${answer.model}`}>
              <RotateCcw size={14} aria-hidden />
              {!isOneOfMany && <span className="hidden text-[12px] sm:inline">Retry</span>}
            </Button>
            <Button look="quiet" className="h-7! px-2!" onClick={onBranch} aria-label="Branch into a new conversation">
              <GitBranch size={14} aria-hidden />
              {!isOneOfMany && <span className="hidden text-[12px] sm:inline">Branch</span>}
            </Button>
          </div>
        )}
      </footer>
    </article>
  )
}

function Waiting() {
  return (
    <p className="flex items-center gap-1 py-1" role="status" aria-label="Waiting for the first word">
      {[0, 150, 300].map((delay) => (
        <span
          key={delay}
          aria-hidden
          className="size-1.5 animate-pulse rounded-full bg-line-strong"
          style={{ animationDelay: `${delay}ms` }}
        />
      ))}
    </p>
  )
}

interface VersionsProps {
  readonly at: number
  readonly count: number
  readonly onShow: (at: number) => void
}

/** Steps through the versions in the same place. */
export function Versions({ at, count, onShow }: VersionsProps) {
  const step = 'rounded p-1.5 hover:bg-sunken hover:text-text disabled:opacity-40'
  return (
    <span className="flex items-center gap-0.5">
      <button
        type="button"
        className={step}
        aria-label="The one before"
        disabled={at === 0}
        onClick={() => onShow(at - 1)}
      >
        <ChevronLeft size={14} aria-hidden />
      </button>
      <span className="figures">
        {at + 1} of {count}
      </span>
      <button
        type="button"
        className={step}
        aria-label="The next one"
        disabled={at === count - 1}
        onClick={() => onShow(at + 1)}
      >
        <ChevronRight size={14} aria-hidden />
      </button>
    </span>
  )
}
