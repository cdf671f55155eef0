import { clsx } from 'clsx'
import { Pause, Play } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useObjectUrl } from '../use-object-url.ts'
import { decodeAudio, type AudioShape } from './decode-audio.ts'

interface AudioPlayerProps {
  readonly audio: Blob
  readonly name: string
  /** Shown below, with the time that is heard. */
  readonly children?: (seconds: number, seek: (seconds: number) => void) => ReactNode
}

const TICKS_MS = 60

function clock(seconds: number): string {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** An audio file as a waveform that can be played and sought in. */
export function AudioPlayer({ audio, name, children }: AudioPlayerProps) {
  const url = useObjectUrl(audio)
  const shape = useShape(audio)
  const element = useRef<HTMLAudioElement>(null)
  const [isPlaying, setPlaying] = useState(false)
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    if (!isPlaying) return undefined
    const timer = setInterval(() => setSeconds(element.current?.currentTime ?? 0), TICKS_MS)
    return () => clearInterval(timer)
  }, [isPlaying])
  const seek = (to: number): void => {
    if (element.current !== null) element.current.currentTime = to
    setSeconds(to)
  }
  const toggle = (): void => {
    if (isPlaying) element.current?.pause()
    else void element.current?.play()
  }
  const duration = shape?.duration ?? 0
  return (
    <div className="flex flex-col gap-3">
      <audio
        ref={element}
        src={url ?? undefined}
        controls={shape === null}
        aria-label={shape === null ? name : undefined}
        className={shape === null ? 'w-full' : 'hidden'}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setPlaying(false)}
      />
      {shape !== null && (
        <div className="flex items-center gap-3">
          <button
            type="button"
            onClick={toggle}
            aria-label={`${isPlaying ? 'Pause' : 'Play'} ${name}`}
            className="flex size-9 shrink-0 items-center
              justify-center rounded-full bg-accent text-on-accent hover:bg-accent-hover"
          >
            {isPlaying ? <Pause size={16} aria-hidden /> : <Play size={16} aria-hidden />}
          </button>
          <div className="relative h-12 min-w-0 flex-1">
            <Waveform peaks={shape.peaks} share={duration === 0 ? 0 : seconds / duration} />
            <input
              type="range"
              min={0}
              max={duration}
              step={0.01}
              value={Math.min(seconds, duration)}
              onChange={(event) => seek(Number(event.target.value))}
              aria-label={`Place in ${name}`}
              aria-valuetext={`${clock(seconds)} of ${clock(duration)}`}
              className="absolute inset-0 w-full cursor-pointer opacity-0"
            />
          </div>
          <span className="figures shrink-0 text-[12px] text-soft">
            {clock(seconds)} / {clock(duration)}
          </span>
        </div>
      )}
      {children?.(seconds, seek)}
    </div>
  )
}

function useShape(audio: Blob): AudioShape | null {
  const [shape, setShape] = useState<AudioShape | null>(null)
  useEffect(() => {
    let isStale = false
    setShape(null)
    void decodeAudio(audio).then((decoded) => isStale || setShape(decoded))
    return () => {
      isStale = true
    }
  }, [audio])
  return shape
}

function Waveform({ peaks, share }: { readonly peaks: readonly number[]; readonly share: number }) {
  return (
    <div aria-hidden data-testid="waveform" className="flex h-full items-center gap-px">
      {peaks.map((peak, at) => (
        <span
          key={at}
          className={clsx('min-w-0 flex-1 rounded-full', at / peaks.length < share ? 'bg-accent' : 'bg-line-strong')}
          style={{ height: `${Math.max(4, peak * 100)}%` }}
        />
      ))}
    </div>
  )
}
