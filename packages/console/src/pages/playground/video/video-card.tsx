import { type Exact, shortDecimal, type VideoReply } from '@svc/contract'
import { clsx } from 'clsx'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { textLink } from '../../../ui/text-link.ts'
import { ExactTime, Time } from '../../../ui/time.tsx'
import { ChargeLine } from '../pay/charge-line.tsx'
import { isOpen, pathOfFile, type VideoNote } from './video-request.ts'

interface VideoCardProps {
  readonly job: Exact<VideoReply>
  /** Null for a video that this browser did not ask for. */
  readonly note: VideoNote | null
}

/** One video: how far it is, then the player, and what it cost. */
export function VideoCard({ job, note }: VideoCardProps) {
  const prompt = note === null || note.prompt === '' ? null : note.prompt
  const charge = job.status === 'failed' ? '0' : (job.svc.credits_charged ?? null)
  return (
    <article
      aria-label={`Video: ${prompt ?? job.id}`}
      data-state={job.status}
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-3"
    >
      <header>
        <p className="line-clamp-2 break-words">
          {prompt ?? <span className="text-soft">Asked for elsewhere: prompts are not stored</span>}
        </p>
        <p className="mt-0.5 text-[12px] break-words text-soft">
          <span className="font-mono">{job.model}</span> · {job.seconds} s{job.size !== null && ` · ${job.size}`} ·{' '}
          <Time seconds={job.created_at} />
        </p>
      </header>
      {job.status === 'completed' ? <Player job={job} name={prompt ?? job.id} /> : <Progress job={job} />}
      {job.error !== undefined && (
        <p role="alert" className="rounded bg-danger-soft px-3 py-2 break-words text-danger">
          {job.error.message}
        </p>
      )}
      {isOpen(job) ? (
        <p className="figures text-[12px] text-soft" title={`${job.svc.credits_estimate} credits`}>
          {shortDecimal(job.svc.credits_estimate)} credits are held until it is done
        </p>
      ) : (
        <ChargeLine charge={charge} requestId={note?.requestId ?? null} />
      )}
    </article>
  )
}

function Progress({ job }: { readonly job: Exact<VideoReply> }) {
  if (job.status === 'failed') return null
  const text = job.status === 'queued' ? 'Waiting for its turn' : `${job.progress} %`
  return (
    <div className="flex aspect-video flex-col items-center justify-center gap-3 rounded bg-sunken px-6">
      <div
        role="progressbar"
        aria-label="Progress of the video"
        aria-valuenow={job.progress}
        aria-valuetext={text}
        className="h-1.5 w-full max-w-60 overflow-hidden rounded-full bg-line"
      >
        <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${job.progress}%` }} />
      </div>
      <span className="figures text-[12px] text-soft">{text}</span>
    </div>
  )
}

function Player({ job, name }: { readonly job: Exact<VideoReply>; readonly name: string }) {
  // Each answer signs the address anew; a player begins again with each, so it keeps the first.
  const [path] = useState(() => pathOfFile(job))
  const [isGone, setGone] = useState(false)
  if (path === null || isGone) {
    return <p className="rounded bg-sunken px-3 py-6 text-center text-soft">The file is no longer kept.</p>
  }
  return (
    <>
      <video
        controls
        playsInline
        preload="metadata"
        src={path}
        aria-label={`Video of “${name}”`}
        onError={() => setGone(true)}
        className="aspect-video w-full rounded bg-sunken"
      />
      <a href={path} download={`${job.id}.mp4`} className={clsx(textLink, 'gap-1.5 self-start text-[12px]')}>
        <Download size={14} aria-hidden />
        Download
        {job.expires_at !== null && (
          <span className="text-soft no-underline">
            (until <ExactTime seconds={job.expires_at} />)
          </span>
        )}
      </a>
    </>
  )
}
