import { AudioLines, FileText, ImagePlus, Paperclip, X } from 'lucide-react'
import { type ClipboardEvent, type DragEvent, type ReactNode, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { toast } from '../../ui/toasts.tsx'
import { attachmentOf, CHAT_ACCEPT, filesOf, IMAGE_TYPES, imageOf, isImage } from './attachments.ts'
import { kindOf } from './chat/attachment-parts.ts'
import type { Attachment } from './chat/conversation.ts'

export interface ImageInput {
  readonly images: readonly Attachment[]
  readonly set: (images: readonly Attachment[]) => void
  readonly add: (files: readonly File[]) => Promise<void>
  /** Whether anything else than images is taken. */
  readonly takesFiles: boolean
}

/**
 * Files that were given and not sent yet.
 *
 * @param max more than these are refused.
 * @param takesFiles whether PDFs, recordings and texts are taken as well as images.
 */
export function useImageInput(max: number, takesFiles = false): ImageInput {
  const [images, set] = useState<readonly Attachment[]>([])
  const add = async (files: readonly File[]): Promise<void> => {
    try {
      const added = await Promise.all(files.map(takesFiles ? attachmentOf : imageOf))
      if (images.length + added.length > max) {
        throw new Error(`At most ${max} ${takesFiles ? 'files' : 'images'} can be sent.`)
      }
      set((before) => [...before, ...added].slice(0, max))
    } catch (error) {
      toast.failure(error)
    }
  }
  return { images, set, add, takesFiles }
}

/** Takes files that are dropped or pasted anywhere in it. */
export function ImageDrop({ input, children }: { readonly input: ImageInput; readonly children: ReactNode }) {
  const [isOver, setOver] = useState(false)
  const take = (event: DragEvent | ClipboardEvent, transfer: DataTransfer | null): void => {
    const files = filesOf(transfer).filter((file) => input.takesFiles || isImage(file))
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
        {input.takesFiles ? <Paperclip size={16} aria-hidden /> : <ImagePlus size={16} aria-hidden />}
      </Button>
      <input
        ref={file}
        type="file"
        hidden
        multiple
        accept={input.takesFiles ? CHAT_ACCEPT : IMAGE_TYPES.join(',')}
        aria-label={label}
        onChange={({ target }) => {
          void input.add([...(target.files ?? [])])
          target.value = ''
        }}
      />
    </>
  )
}

/** What an attachment is, in small. */
export function AttachmentView({
  attachment,
  className,
}: {
  readonly attachment: Attachment
  readonly className: string
}) {
  const kind = kindOf(attachment)
  if (kind === 'image') return <img src={attachment.url} alt={attachment.name} className={className} />
  const Icon = kind === 'audio' ? AudioLines : FileText
  return (
    <span className="flex h-16 max-w-56 items-center gap-2 rounded border border-line bg-control px-3">
      <Icon size={16} className="shrink-0 text-soft" aria-hidden />
      <span className="min-w-0 truncate text-[13px]">{attachment.name}</span>
    </span>
  )
}

/** The files that will go with the request, each with a way to take it back. */
export function ImageList({ input }: { readonly input: ImageInput }) {
  if (input.images.length === 0) return null
  return (
    <ul aria-label={input.takesFiles ? 'Files to send' : 'Images to send'} className="flex flex-wrap gap-2">
      {input.images.map((image, at) => (
        <li key={`${image.name}-${at}`} className="relative">
          <AttachmentView attachment={image} className="size-16 rounded border border-line object-cover" />
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
