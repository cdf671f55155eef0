import { ImagePlus, X } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toasts.tsx'
import { attachmentOf, IMAGE_TYPES, imagesOf } from './attachments.ts'
import type { Attachment } from './chat/conversation.ts'

export interface ImageInput {
  readonly images: readonly Attachment[]
  readonly set: (images: readonly Attachment[]) => void
  readonly add: (files: readonly File[]) => Promise<void>
}

/** Images that were given and not sent yet. @param max more than these are refused. */
export function useImageInput(max: number): ImageInput {
  const [images, set] = useState<readonly Attachment[]>([])
  const add = async (files: readonly File[]): Promise<void> => {
    try {
      const added = await Promise.all(files.map(attachmentOf))
      if (images.length + added.length > max) throw new Error(`At most ${max} images can be sent.`)
      set((before) => [...before, ...added].slice(0, max))
    } catch (error) {
      toast.failure(error)
    }
  }
  return { images, set, add }
}

/** Takes images that are dropped or pasted anywhere in it. */
export function ImageDrop({ input, children }: { readonly input: ImageInput; readonly children: ReactNode }) {
  const [isOver, setOver] = useState(false)
  const take = (event: DragEvent | ClipboardEvent, transfer: DataTransfer | null): void => {
    const files = imagesOf(transfer)
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

export function ImageButton({ input, label }: { readonly input: ImageInput; readonly label: string }) {
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
        accept={IMAGE_TYPES.join(',')}
        aria-label={label}
        onChange={({ target }) => {
          void input.add([...(target.files ?? [])])
          target.value = ''
        }}
      />
    </>
  )
}

/** The images that will go with the request, each with a way to take it back. */
export function ImageList({ input }: { readonly input: ImageInput }) {
  if (input.images.length === 0) return null
  return (
    <ul aria-label="Images to send" className="flex flex-wrap gap-2">
      {input.images.map((image, at) => (
        <li key={`${image.name}-${at}`} className="relative">
          <img src={image.url} alt={image.name} className="size-16 rounded border border-line object-cover" />
          <button
            type="button"
            aria-label={`Take ${image.name} back`}
            onClick={() => input.set(input.images.filter((_, each) => each !== at))}
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
