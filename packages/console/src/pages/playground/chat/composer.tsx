import { ArrowUp, Code, Square } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { useOneSubmit } from '../../../ui/use-one-submit.ts'
import { PriceLine } from '../pay/price-line.tsx'
import type { RequestSize } from '../pay/request-size.ts'
import { ImageButton, ImageDrop, type ImageInput, ImageList } from '../image-input.tsx'

export interface Draft {
  readonly text: string
  readonly set: (text: string) => void
}

interface ComposerProps {
  /** Where in which conversation the message goes. */
  readonly place: string
  readonly draft: Draft
  readonly images: ImageInput
  /** What decides the price, for each lane. */
  readonly sizes: readonly RequestSize[]
  readonly isRunning: boolean
  /** Why nothing can be sent with these settings; null where it can. */
  readonly problem: string | null
  readonly onSend: () => void
  readonly onStop: () => void
  readonly onCode: () => void
}

export function useDraft(): Draft {
  const [text, set] = useState('')
  return { text, set }
}

/** Where the next message is written. Enter sends; with Shift it begins a line. */
export function Composer(props: ComposerProps) {
  const { place, draft, images, sizes, isRunning, problem, onSend, onStop, onCode } = props
  const isEmpty = draft.text.trim() === '' && images.images.length === 0
  const nextName = useOneSubmit()
  const send = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault()
    const isHeld = 'repeat' in event && event.repeat
    if (!isEmpty && problem === null && !isRunning && !isHeld && nextName(`${place} ${draft.text}`) !== null) onSend()
  }
  return (
    <ImageDrop input={images}>
      <form
        onSubmit={send}
        className="flex flex-col gap-2 rounded-lg
          border border-line-strong/60 bg-surface p-2.5 focus-within:border-accent"
      >
        <ImageList input={images} />
        <textarea
          aria-label="Message"
          placeholder="Ask something"
          rows={2}
          value={draft.text}
          onChange={(event) => draft.set(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) send(event)
          }}
          className="max-h-60 w-full resize-none bg-transparent px-1 outline-none
            [field-sizing:content] max-md:text-[16px]"
        />
        <div className="flex flex-wrap items-center gap-1">
          <ImageButton input={images} label="Attach files" />
          <Button look="quiet" onClick={onCode} aria-label="Show the request as code" title="Code" className="px-2!">
            <Code size={16} aria-hidden />
          </Button>
          <div className="ml-auto flex items-center gap-3">
            {problem !== null && <span className="text-[12px] text-danger">{problem}</span>}
            {!isRunning && problem === null && <PriceLine requests={sizes} />}
            {isRunning ? (
              <Button look="secondary" onClick={onStop}>
                <Square size={14} aria-hidden />
                Stop
              </Button>
            ) : (
              <Button type="submit" disabled={isEmpty || problem !== null}>
                <ArrowUp size={14} aria-hidden />
                Send
              </Button>
            )}
          </div>
        </div>
      </form>
    </ImageDrop>
  )
}
