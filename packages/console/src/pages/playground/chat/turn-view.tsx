import { clsx } from 'clsx'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { inputLook } from '../../../ui/field.tsx'
import { AttachmentView } from '../image-input.tsx'
import { AnswerCard, Versions } from './answer-card.tsx'
import type { ChatStore } from './chat-store.ts'
import { type Conversation, shownAnswer, siblingsOf, type Turn } from './conversation.ts'

interface TurnViewProps {
  readonly store: ChatStore
  readonly conversation: Conversation
  readonly turn: Turn
}

const LANES = { 1: 'grid-cols-1', 2: 'lg:grid-cols-2', 3: 'lg:grid-cols-3' } as const

/** One message and what the models said to it. */
export function TurnView({ store, conversation, turn }: TurnViewProps) {
  const lanes = turn.lanes.flatMap((answers, lane) => {
    const answer = shownAnswer(turn, lane)
    return answer === null ? [] : [{ lane, answer, answers }]
  })
  const columns = Math.min(3, Math.max(1, lanes.length)) as 1 | 2 | 3
  return (
    <li className="flex flex-col gap-3">
      <Message store={store} conversation={conversation} turn={turn} />
      <div className={clsx('grid gap-3', LANES[columns])}>
        {lanes.map(({ lane, answer, answers }) => (
          <AnswerCard
            key={lane}
            answer={answer}
            at={answers.indexOf(answer)}
            count={answers.length}
            isOneOfMany={lanes.length > 1}
            onShow={(at) => store.showAnswer(turn.id, lane, at)}
            onRetry={() => store.retry(turn.id, lane)}
            onReplies={(replies) => store.reply(turn.id, lane, answer, replies)}
            onBranch={() => store.branch(turn.id)}
          />
        ))}
      </div>
    </li>
  )
}

function Message({ store, conversation, turn }: TurnViewProps) {
  const [isEditing, setEditing] = useState(false)
  const siblings = siblingsOf(conversation, turn)
  const at = siblings.findIndex(({ id }) => id === turn.id)
  if (isEditing) return <Editor store={store} turn={turn} onClose={() => setEditing(false)} />
  return (
    <div className="flex max-w-[85%] flex-col items-end gap-1 self-end">
      <div className="flex flex-col gap-2 rounded-lg bg-accent-soft px-3 py-2" data-testid="message">
        {turn.images.length > 0 && (
          <div className="flex flex-wrap gap-2">
            {turn.images.map((attachment, index) => (
              <AttachmentView key={index} attachment={attachment} className="max-h-40 max-w-full rounded" />
            ))}
          </div>
        )}
        {turn.text !== '' && <TurnText text={turn.text} />}
      </div>
      <div className="flex items-center gap-1 text-[12px] text-soft">
        {siblings.length > 1 && (
          <Versions
            at={at}
            count={siblings.length}
            onShow={(next) => siblings[next] !== undefined && store.showTurn(siblings[next].id)}
          />
        )}
        <Button look="quiet" className="h-7! px-2!" onClick={() => setEditing(true)} aria-label="Edit the message">
          <Pencil size={13} aria-hidden />
        </Button>
      </div>
    </div>
  )
}

interface EditorProps {
  readonly store: ChatStore
  readonly turn: Turn
  readonly onClose: () => void
}

/** Writing a message anew begins a branch beside it. */
function Editor({ store, turn, onClose }: EditorProps) {
  const [text, setText] = useState(turn.text)
  const send = (): void => {
    onClose()
    store.send({ text, images: turn.images }, turn.parent)
  }
  return (
    <form
      className="flex w-full flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <textarea
        aria-label="The message anew"
        rows={3}
        autoFocus
        className={clsx(inputLook, 'h-auto py-2 [field-sizing:content]')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onClose()}
      />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={text.trim() === '' && turn.images.length === 0}>
          Send anew
        </Button>
      </div>
    </form>
  )
}

/** More than this is scrolled in a box of its own. */
const CHARACTERS_SHOWN = 900
const LINES_SHOWN = 16

function TurnText({ text }: { readonly text: string }) {
  const look = 'break-words whitespace-pre-wrap'
  const isLong = text.length > CHARACTERS_SHOWN || text.split('\n').length > LINES_SHOWN
  if (!isLong) return <p className={look}>{text}</p>
  return (
    <div role="group" aria-label="What you wrote" tabIndex={0} className={clsx(look, 'max-h-80 overflow-auto')}>
      {text}
    </div>
  )
}
