import { type Cue, renderSrt, renderVtt } from '@svc/contract'
import { clsx } from 'clsx'
import { Trash2 } from 'lucide-react'
import { Fragment } from 'react'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { saveFile } from '../../../ui/save-file.ts'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { RunFooter } from '../run-footer.tsx'
import { AudioPlayer } from './audio-player.tsx'
import { cuesOfWords, wordAt } from './word-cues.ts'
import type { TranscriptRun } from './transcript-request.ts'

interface TranscriptCardProps {
  readonly run: TranscriptRun
  readonly onAgain: () => void
  readonly onRemove: () => void
}

/** What was said, word by word while it is heard where the model sends the times. */
export function TranscriptCard({ run, onAgain, onRemove }: TranscriptCardProps) {
  const { wishes, words, segments } = run
  const isRunning = run.state === 'running'
  const cues = segments.length > 0 ? segments : cuesOfWords(words)
  const heard = words.length > 0 ? words : segments
  return (
    <article
      aria-label={`Transcript of ${wishes.audio.name}`}
      aria-busy={isRunning}
      data-state={run.state}
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-3"
    >
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="truncate font-medium">{wishes.audio.name}</p>
          <p className="mt-0.5 text-[12px] break-words text-soft">
            <span className="font-mono">{run.model}</span>
            {run.language !== null && ` · ${run.language}`}
          </p>
        </div>
        {!isRunning && (
          <Button look="quiet" className="h-7! px-2!" onClick={onRemove} aria-label="Remove this transcript">
            <Trash2 size={14} aria-hidden />
          </Button>
        )}
      </header>
      <AudioPlayer audio={wishes.audio} name={wishes.audio.name}>
        {(seconds, seek) =>
          heard.length > 0 ? (
            <Words words={heard} seconds={seconds} onSeek={seek} />
          ) : (
            run.text !== '' && (
              <p data-testid="transcript" className="break-words whitespace-pre-wrap">
                {run.text}
              </p>
            )
          )
        }
      </AudioPlayer>
      {isRunning && <Skeleton className="h-16 w-full" />}
      {run.state === 'done' && run.text === '' && <p className="text-soft">Nothing was said that could be heard.</p>}
      {run.text !== '' && (
        <div className="flex flex-wrap gap-1">
          <CopyButton look="quiet" text={run.text} what="the transcript" className="h-7! px-2! text-[12px]" />
          {cues.length > 0 && <Subtitles cues={cues} />}
        </div>
      )}
      <RunFooter run={run} onAgain={onAgain} />
    </article>
  )
}

function Subtitles({ cues }: { readonly cues: readonly Cue[] }) {
  const look = 'h-7! px-2! text-[12px]'
  const save = (name: string, text: string, type: string): void => saveFile(name, new Blob([text], { type }))
  return (
    <>
      <Button look="quiet" className={look} onClick={() => save('transcript.srt', renderSrt(cues), 'text/plain')}>
        .srt
      </Button>
      <Button look="quiet" className={look} onClick={() => save('transcript.vtt', renderVtt(cues), 'text/vtt')}>
        .vtt
      </Button>
    </>
  )
}

interface WordsProps {
  readonly words: readonly Cue[]
  readonly seconds: number
  readonly onSeek: (seconds: number) => void
}

function Words({ words, seconds, onSeek }: WordsProps) {
  const now = wordAt(words, seconds)
  return (
    <p data-testid="transcript" className="max-h-80 overflow-auto leading-6 break-words" tabIndex={0}>
      {words.map(({ text, start }, at) => (
        <Fragment key={at}>
          {/* A click is a short way; the slider above does the same for the keyboard. */}
          <span
            onClick={() => onSeek(start)}
            data-now={at === now || undefined}
            className={clsx('cursor-pointer rounded px-0.5', at === now && seconds > 0 && 'bg-accent text-on-accent')}
          >
            {text.trim()}
          </span>{' '}
        </Fragment>
      ))}
    </p>
  )
}
