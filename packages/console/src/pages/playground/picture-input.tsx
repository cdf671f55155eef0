import { ImagePlus, X } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toasts.tsx'
import { attachmentOf, PICTURE_TYPES, picturesOf } from './attachments.ts'
import type { Attachment } from './chat/conversation.ts'

export interface PictureInput {
  readonly pictures: readonly Attachment[]
  readonly set: (pictures: readonly Attachment[]) => void
  readonly add: (files: readonly File[]) => Promise<void>
}

/** Pictures that were given and not sent yet. @param max more than these are refused. */
export function usePictureInput(max: number): PictureInput {
  const [pictures, set] = useState<readonly Attachment[]>([])
  const add = async (files: readonly File[]): Promise<void> => {
    try {
      const added = await Promise.all(files.map(attachmentOf))
      if (pictures.length + added.length > max) throw new Error(`At most ${max} pictures can be sent.`)
      set((before) => [...before, ...added].slice(0, max))
    } catch (error) {
      toast.failure(error)
    }
  }
  return { pictures, set, add }
}

/** Takes pictures that are dropped or pasted anywhere in it. */
export function PictureDrop({ input, children }: { readonly input: PictureInput; readonly children: ReactNode }) {
  const [isOver, setOver] = useState(false)
  const take = (event: DragEvent | ClipboardEvent, transfer: DataTransfer | null): void => {
    const files = picturesOf(transfer)
    if (files.length === 0) return
    event.preventDefault()
    void input.add(files)
  }
  return (
    <div
      onPaste={(event) => take(event, event.clipboardData)}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        take(event, event.dataTransfer)
      }}
      className={isOver ? 'rounded-lg outline-2 outline-accent outline-dashed' : undefined}
    >
      {children}
    </div>
  )
}

export function PictureButton({ input, label }: { readonly input: PictureInput; readonly label: string }) {
  const file = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button look="quiet" aria-label={label} title={label} onClick={() => file.current?.click()} className="px-2!">
        <ImagePlus size={16} aria-hidden />
      </Button>
      <input
        ref={file}
        type="file"
        hidden
        multiple
        accept={PICTURE_TYPES.join(',')}
        aria-label={label}
        onChange={({ target }) => {
          void input.add([...(target.files ?? [])])
          target.value = ''
        }}
      />
    </>
  )
}

/** The pictures that will go with the request, each with a way to take it back. */
export function PictureList({ input }: { readonly input: PictureInput }) {
  if (input.pictures.length === 0) return null
  return (
    <ul aria-label="Pictures to send" className="flex flex-wrap gap-2">
      {input.pictures.map((picture, at) => (
        <li key={`${picture.name}-${at}`} className="relative">
          <img src={picture.url} alt={picture.name} className="size-16 rounded border border-line object-cover" />
          <button
            type="button"
            aria-label={`Take ${picture.name} back`}
            onClick={() => input.set(input.pictures.filter((_, each) => each !== at))}
            className="absolute -top-1.5 -right-1.5 rounded-full border
              border-line bg-raised p-0.5 text-soft hover:text-text"
          >
            <X size={12} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}
