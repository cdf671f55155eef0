import { AUDIO_BYTES_MAX } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Code, FileAudio, Mic, Square } from 'lucide-react'
import { type DragEvent, useEffect, useRef, useState } from 'react'
import { modelsQuery } from '../../../api/team.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { useOneSubmit } from '../../../ui/use-one-submit.ts'
import { CodeDialog } from '../../../samples/code-dialog.tsx'
import { transcriptionCode } from '../../../samples/request-code.ts'
import { unitChoices } from '../model-choices.tsx'
import { ModelPicker } from '../model-picker.tsx'
import { PriceLine } from '../pay/price-line.tsx'
import { nameOfAgain, newRun } from '../run-store.ts'
import { useAskedModel } from '../asked-model.ts'
import { useRuns } from '../use-play.ts'
import { decodeAudio } from './decode-audio.ts'
import { TranscriptCard } from './transcript-card.tsx'
import { transcribe, transcriptFormOf, type TranscriptRun, type TranscriptWishes } from './transcript-request.ts'
import { useRecorder } from './use-recorder.ts'

const PREFERRED = 'openai/whisper-1'

/** An audio file becomes a text. */
export function TranscriptPanel() {
  const { data } = useSuspenseQuery(modelsQuery).data
  const models = data.filter(({ svc }) => svc.type === 'transcription')
  const preferred = models.find(({ id }) => id.endsWith(PREFERRED)) ?? models[0]
  const asked = useAskedModel(models)
  const [model, setModel] = useState(asked ?? preferred?.id ?? '')
  const [language, setLanguage] = useState('')
  const [prompt, setPrompt] = useState('')
  const [audio, setAudio] = useState<File | null>(null)
  const { store, state } = useRuns<TranscriptRun>('transcript')
  const [showsCode, setCode] = useState(false)
  const nextName = useOneSubmit()
  const make = (asked: TranscriptWishes, name: string | null): void => {
    if (name === null) return
    const empty = { text: '', language: null, words: [], segments: [] }
    void store.start({ ...newRun(asked.model, name), ...empty, wishes: asked }, transcribe(asked))
  }
  const { file: _file, ...fields } = transcriptFormOf({ model, language, prompt, audio: new File([], 'x') }, true)
  return (
    <section aria-labelledby="transcription" className="flex min-w-0 flex-col gap-4">
      <h2 id="transcription" className="text-[16px] font-semibold">
        Transcription
      </h2>
      <ModelPicker label="Transcription model" value={model} choices={unitChoices(models)} onPick={setModel} />
      <div className="grid grid-cols-[7rem_minmax(0,1fr)] gap-3">
        <TextField
          label="Language"
          placeholder="en, de …"
          autoComplete="off"
          maxLength={8}
          value={language}
          onChange={(event) => setLanguage(event.target.value)}
        />
        <TextField
          label="Names and words in it"
          autoComplete="off"
          value={prompt}
          onChange={(event) => setPrompt(event.target.value)}
        />
      </div>
      <AudioInput audio={audio} onAudio={setAudio} />
      <div className="flex flex-wrap items-center gap-2">
        <Button look="quiet" onClick={() => setCode(true)} aria-label="Show the request as code" className="px-2!">
          <Code size={16} aria-hidden />
        </Button>
        <div className="flex-1" />
        <AudioPrice audio={audio} model={model} />
        <Button
          disabled={audio === null}
          onClick={() =>
            audio !== null &&
            make({ model, language, prompt, audio }, nextName(`${model} ${audio.name} ${audio.lastModified}`))
          }
        >
          Transcribe
        </Button>
      </div>
      {state.runs.map((run) => (
        <TranscriptCard
          key={run.id}
          run={run}
          onAgain={() => make(run.wishes, nameOfAgain(run))}
          onRemove={() => store.remove(run.id)}
        />
      ))}
      {showsCode && <CodeDialog code={(place) => transcriptionCode(place, fields)} onClose={() => setCode(false)} />}
    </section>
  )
}

interface AudioPriceProps {
  readonly audio: File | null
  readonly model: string
}

function AudioPrice({ audio, model }: AudioPriceProps) {
  const [seconds, setSeconds] = useState<number | null>(null)
  useEffect(() => {
    let isStale = false
    setSeconds(null)
    if (audio !== null) void decodeAudio(audio).then((shape) => isStale || setSeconds(shape?.duration ?? null))
    return () => {
      isStale = true
    }
  }, [audio])
  if (audio === null || seconds === null) return <span className="text-[12px] text-soft">Charged by the second</span>
  return <PriceLine requests={[{ model, seconds }]} />
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

interface AudioInputProps {
  readonly audio: File | null
  readonly onAudio: (audio: File | null) => void
}

/** A file by button or drop, or what is said into the microphone. */
function AudioInput({ audio, onAudio }: AudioInputProps) {
  const input = useRef<HTMLInputElement>(null)
  const recorder = useRecorder(onAudio)
  const take = (file: File | undefined): void => {
    if (file === undefined) return
    if (file.size > AUDIO_BYTES_MAX) toast.failure(new Error(`${file.name} is larger than 25 MiB.`))
    else onAudio(file)
  }
  const drop = (event: DragEvent): void => {
    event.preventDefault()
    take(event.dataTransfer.files[0])
  }
  return (
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
      className="flex flex-col items-center gap-3 rounded-lg
        border border-dashed border-line-strong px-4 py-5 text-center"
    >
      <p className="max-w-full truncate" role="status">
        {recorder.isRecording ? (
          <span className="figures">Recording {clock(recorder.seconds)}</span>
        ) : audio === null ? (
          <span className="text-soft">Drop a file here, choose one, or record</span>
        ) : (
          <span className="font-medium">{audio.name}</span>
        )}
      </p>
      <div className="flex gap-2">
        <Button look="secondary" disabled={recorder.isRecording} onClick={() => input.current?.click()}>
          <FileAudio size={14} aria-hidden />
          Choose a file
        </Button>
        {recorder.isRecording ? (
          <Button look="danger" onClick={recorder.stop}>
            <Square size={14} aria-hidden />
            Stop
          </Button>
        ) : (
          <Button look="secondary" onClick={() => void recorder.start()}>
            <Mic size={14} aria-hidden />
            Record
          </Button>
        )}
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept="audio/*,video/mp4,video/webm"
        aria-label="File to write down"
        onChange={({ target }) => {
          take(target.files?.[0])
          target.value = ''
        }}
      />
    </div>
  )
}
