import { ownMember } from '@svc/contract'
import { clsx } from 'clsx'
import { Download, ImageUp, Trash2 } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { Time } from '../../../ui/time.tsx'
import { RunFooter } from '../run-footer.tsx'
import { useObjectUrl } from '../use-object-url.ts'
import type { ImageRun } from './image-request.ts'

interface ImageRunCardProps {
  readonly run: ImageRun
  readonly onReuse: (image: Blob) => void
  readonly onAgain: () => void
  readonly onRemove: () => void
}

/** One request and its images. */
export function ImageRunCard({ run, onReuse, onAgain, onRemove }: ImageRunCardProps) {
  const { wishes } = run
  const isRunning = run.state === 'running'
  const facts = [wishes.size, wishes.quality, wishes.seed === null ? '' : `seed ${wishes.seed}`]
  return (
    <article
      aria-label={`Images: ${wishes.prompt}`}
      aria-busy={isRunning}
      data-state={run.state}
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-3"
    >
      <header className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="line-clamp-2 break-words">{wishes.prompt}</p>
          <p className="mt-0.5 text-[12px] break-words text-soft">
            <span className="font-mono">{run.model}</span>
            {facts.filter((fact) => fact !== '').map((fact) => ` · ${fact}`)}
            {wishes.inputs.length > 0 && ' · changed'} · <Time seconds={run.at / 1_000} />
          </p>
        </div>
        {!isRunning && (
          <Button look="quiet" className="h-7! px-2!" onClick={onRemove} aria-label="Remove these images">
            <Trash2 size={14} aria-hidden />
          </Button>
        )}
      </header>
      {(isRunning || run.images.length > 0) && (
        <ul className={clsx('grid gap-3', wishes.count === 1 ? 'max-w-md grid-cols-1' : 'grid-cols-2 md:grid-cols-3')}>
          {run.images.map((image, at) => (
            <ImageTile key={at} image={image} name={`${at + 1} of “${wishes.prompt}”`} onReuse={onReuse} />
          ))}
          {isRunning &&
            Array.from({ length: wishes.count }, (_, at) => (
              <li key={at} className="aspect-square overflow-hidden rounded">
                {run.partial === null ? <Skeleton className="size-full" /> : <Partial image={run.partial} />}
              </li>
            ))}
        </ul>
      )}
      {isRunning && (
        <p role="status" className="text-[12px] text-soft">
          Being made. Leaving the page does not end it, nor its charge.
        </p>
      )}
      <RunFooter run={run} onAgain={onAgain} />
    </article>
  )
}

function Partial({ image }: { readonly image: Blob }) {
  const url = useObjectUrl(image)
  return url === null ? null : <img src={url} alt="So far" className="size-full object-cover" />
}

const EXTENSIONS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/svg+xml': 'svg' }

interface ImageTileProps {
  readonly image: Blob
  readonly name: string
  readonly onReuse: (image: Blob) => void
}

function ImageTile({ image, name, onReuse }: ImageTileProps) {
  const url = useObjectUrl(image)
  const extension = ownMember(EXTENSIONS, image.type) ?? image.type.replace('image/', '')
  return (
    <li className="flex flex-col gap-1">
      <div className="aspect-square overflow-hidden rounded bg-sunken">
        {url !== null && (
          <img src={url} alt={`Image ${name}`} data-testid="image" className="size-full object-contain" />
        )}
      </div>
      <div className="flex justify-end gap-1">
        {image.type !== 'image/svg+xml' && (
          <Button
            look="quiet"
            className="h-7! px-2! text-[12px]"
            onClick={() => onReuse(image)}
            aria-label={`Change image ${name}`}
          >
            <ImageUp size={14} aria-hidden />
            Change
          </Button>
        )}
        <a
          href={url ?? undefined}
          download={`image.${extension}`}
          aria-label={`Download image ${name}`}
          className="inline-flex h-7 items-center rounded px-2 text-soft hover:bg-sunken hover:text-text"
        >
          <Download size={14} aria-hidden />
        </a>
      </div>
    </li>
  )
}
