import { useEffect, useRef, useState } from 'react'
import { toast } from '../../../ui/toasts.tsx'

/** Recordings end here by themselves. Source: own choice. */
const RECORDING_MS_MAX = 10 * 60_000

/** What browsers record, best first. */
const TYPES = ['audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg;codecs=opus'] as const

const EXTENSIONS: Readonly<Record<string, string>> = { 'audio/webm': 'webm', 'audio/mp4': 'm4a', 'audio/ogg': 'ogg' }

export interface Recorder {
  readonly isRecording: boolean
  /** Since the recording began. */
  readonly seconds: number
  readonly start: () => Promise<void>
  readonly stop: () => void
}

function fileOf(parts: readonly Blob[], type: string): File {
  const [plain = 'audio/webm'] = type.split(';')
  return new File([...parts], `recording.${EXTENSIONS[plain] ?? 'webm'}`, { type: plain })
}

/** Records from the microphone, which the browser asks the person for. The audio stays in the page until it is sent. */
export function useRecorder(onFile: (file: File) => void): Recorder {
  const recorder = useRef<MediaRecorder | null>(null)
  const [startedAt, setStartedAt] = useState<number | null>(null)
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    if (startedAt === null) return undefined
    const timer = setInterval(() => {
      setSeconds((Date.now() - startedAt) / 1_000)
      if (Date.now() - startedAt > RECORDING_MS_MAX) recorder.current?.stop()
    }, 200)
    return () => clearInterval(timer)
  }, [startedAt])
  // Leaving the page ends the recording.
  useEffect(() => () => recorder.current?.stream.getTracks().forEach((track) => track.stop()), [])
  const start = async (): Promise<void> => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
      const type = TYPES.find((each) => MediaRecorder.isTypeSupported(each))
      const made = new MediaRecorder(stream, type === undefined ? {} : { mimeType: type })
      const parts: Blob[] = []
      made.ondataavailable = ({ data }) => void parts.push(data)
      made.onstop = () => {
        stream.getTracks().forEach((track) => track.stop())
        setStartedAt(null)
        setSeconds(0)
        onFile(fileOf(parts, made.mimeType))
      }
      made.start()
      recorder.current = made
      setStartedAt(Date.now())
    } catch {
      toast.failure(new Error('There is no microphone, or the browser was not allowed to use it.'))
    }
  }
  return { isRecording: startedAt !== null, seconds, start, stop: () => recorder.current?.stop() }
}
