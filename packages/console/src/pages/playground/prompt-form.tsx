import { Code } from 'lucide-react'
import type { FormEvent, KeyboardEvent, ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { useOneSubmit } from '../../ui/use-one-submit.ts'
import { PriceLine } from './pay/price-line.tsx'
import type { RequestSize } from './pay/request-size.ts'
import { ImageButton, ImageDrop, type ImageInput, ImageList } from './image-input.tsx'

interface PromptFormProps {
  readonly label: string
  readonly placeholder: string
  readonly text: string
  readonly onText: (text: string) => void
  /** What decides the price. */
  readonly size: RequestSize
  /** What the button says. */
  readonly action: string
  /** What is asked for, with its settings: the same twice in a moment is a second click. */
  readonly content: string
  /** @param name of the request. */
  readonly onSubmit: (name: string) => void
  readonly onCode: () => void
  readonly rows?: number
  readonly maxLength?: number
  /** Where images can go with the request, and what they are for. */
  readonly images?: { readonly input: ImageInput; readonly label: string }
  readonly children?: ReactNode
}

/** Says what shall be made, what it costs, and makes it. Ctrl or Cmd with Enter does, too. */
export function PromptForm(props: PromptFormProps) {
  const { label, placeholder, text, onText, size, action, onSubmit, onCode, images } = props
  const isEmpty = text.trim() === ''
  const nextName = useOneSubmit()
  const submit = (event: FormEvent | KeyboardEvent): void => {
    event.preventDefault()
    const isHeld = 'repeat' in event && event.repeat
    const name = isEmpty || isHeld ? null : nextName(props.content)
    if (name !== null) onSubmit(name)
  }
  const form = (
    <form
      onSubmit={submit}
      className="flex flex-col gap-2 rounded-lg
        border border-line-strong/60 bg-surface p-2.5 focus-within:border-accent"
    >
      {images !== undefined && <ImageList input={images.input} />}
      <textarea
        aria-label={label}
        placeholder={placeholder}
        rows={props.rows ?? 3}
        maxLength={props.maxLength}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
        }}
        className="max-h-72 w-full resize-none bg-transparent px-1 outline-none
          [field-sizing:content] max-md:text-[16px]"
      />
      <div className="flex flex-wrap items-center gap-1">
        {images !== undefined && <ImageButton input={images.input} label={images.label} />}
        <Button look="quiet" onClick={onCode} aria-label="Show the request as code" title="Code" className="px-2!">
          <Code size={16} aria-hidden />
        </Button>
        {props.children}
        <div className="ml-auto flex items-center gap-3">
          <PriceLine requests={[size]} />
          <Button type="submit" disabled={isEmpty}>
            {action}
          </Button>
        </div>
      </div>
    </form>
  )
  return images === undefined ? form : <ImageDrop input={images.input}>{form}</ImageDrop>
}
