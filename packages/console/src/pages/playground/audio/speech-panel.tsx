import { openAiVoices, SPEECH_CHARACTERS_MAX, speechResponseFormats } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Download, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { modelsQuery } from '../../../api/team.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/field.tsx'
import { SelectField } from '../../../ui/select-field.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { CodeDialog } from '../../../samples/code-dialog.tsx'
import { speechCode } from '../../../samples/request-code.ts'
import { unitChoices } from '../model-choices.tsx'
import { ModelPicker } from '../model-picker.tsx'
import { NumberField } from '../number-field.tsx'
import { lengthOf } from '../pay/request-size.ts'
import { PromptForm } from '../prompt-form.tsx'
import { RunFooter } from '../run-footer.tsx'
import { nameOfAgain, newRun } from '../run-store.ts'
import { useObjectUrl } from '../use-object-url.ts'
import { useRuns } from '../use-play.ts'
import { AudioPlayer } from './audio-player.tsx'
import { useAskedModel } from '../asked-model.ts'
import { speak, speechBodyOf, type SpeechRun, type SpeechWishes } from './speech-request.ts'

/** A model that knows the voices which are offered first. */
function firstOf(models: readonly { readonly id: string }[]): string {
  return (models.find(({ id }) => id.includes('openai/')) ?? models[0])?.id ?? ''
}

interface SpeechModel {
  readonly id: string
  readonly svc: { readonly voices?: readonly string[] | undefined }
}

/** The voices of a model, its default first; those that most models know where its upstream lists none. */
function voicesOf(models: readonly SpeechModel[], id: string): readonly string[] {
  const own = models.find((model) => model.id === id)?.svc.voices ?? []
  return own.length === 0 ? openAiVoices : own
}

/** A text becomes an audio file. */
export function SpeechPanel() {
  const { data } = useSuspenseQuery(modelsQuery).data
  const models = data.filter(({ svc }) => svc.type === 'speech')
  const asked = useAskedModel(models)
  const [wishes, setWishes] = useState<SpeechWishes>({
    model: asked ?? firstOf(models),
    text: '',
    voice: 'alloy',
    format: 'mp3',
    speed: null,
    instructions: '',
  })
  const set = (change: Partial<SpeechWishes>): void => setWishes((before) => ({ ...before, ...change }))
  const { store, state } = useRuns<SpeechRun>('speech')
  const [showsCode, setCode] = useState(false)
  const make = (asked: SpeechWishes, name: string): void =>
    void store.start({ ...newRun(asked.model, name), wishes: asked, audio: null }, speak(asked))
  return (
    <section aria-labelledby="speech" className="flex min-w-0 flex-col gap-4">
      <h2 id="speech" className="text-[16px] font-semibold">
        Speech
      </h2>
      <ModelPicker
        label="Speech model"
        value={wishes.model}
        choices={unitChoices(models)}
        onPick={(model) => {
          const voices = voicesOf(models, model)
          set({ model, voice: voices.includes(wishes.voice) ? wishes.voice : (voices[0] ?? '') })
        }}
      />
      <SpeechSettings wishes={wishes} voices={voicesOf(models, wishes.model)} onSet={set} />
      <PromptForm
        label="Text to speak"
        placeholder="What shall be said"
        rows={4}
        maxLength={SPEECH_CHARACTERS_MAX}
        text={wishes.text}
        onText={(text) => set({ text })}
        size={{ model: wishes.model, ...lengthOf(wishes.text) }}
        action="Speak it"
        content={JSON.stringify(wishes)}
        onSubmit={(name) => make(wishes, name)}
        onCode={() => setCode(true)}
      />
      {state.runs.map((run) => (
        <SpeechCard
          key={run.id}
          run={run}
          onAgain={() => make(run.wishes, nameOfAgain(run))}
          onRemove={() => store.remove(run.id)}
        />
      ))}
      {showsCode && (
        <CodeDialog code={(place) => speechCode(place, { ...speechBodyOf(wishes) })} onClose={() => setCode(false)} />
      )}
    </section>
  )
}

interface SpeechSettingsProps {
  readonly wishes: SpeechWishes
  readonly voices: readonly string[]
  readonly onSet: (change: Partial<SpeechWishes>) => void
}

function SpeechSettings({ wishes, voices, onSet }: SpeechSettingsProps) {
  const list = useId()
  return (
    <div className="grid grid-cols-3 gap-3">
      <div>
        <TextField
          label="Voice"
          list={list}
          autoComplete="off"
          value={wishes.voice}
          onChange={(event) => onSet({ voice: event.target.value })}
        />
        <datalist id={list}>
          {voices.map((voice) => (
            <option key={voice} value={voice} />
          ))}
        </datalist>
      </div>
      <SelectField
        label="Format"
        value={wishes.format}
        options={speechResponseFormats.map((value) => ({ value, text: value }))}
        onPick={(picked) => onSet({ format: speechResponseFormats.find((each) => each === picked) ?? 'mp3' })}
      />
      <NumberField
        label="Speed"
        value={wishes.speed}
        bounds={{ min: 0.25, max: 4, step: 0.05 }}
        onSet={(speed) => onSet({ speed })}
      />
      <div className="col-span-3">
        <TextField
          label="How to speak"
          placeholder="Calmly; for models that understand it"
          autoComplete="off"
          maxLength={SPEECH_CHARACTERS_MAX}
          value={wishes.instructions}
          onChange={(event) => onSet({ instructions: event.target.value })}
        />
      </div>
    </div>
  )
}

interface SpeechCardProps {
  readonly run: SpeechRun
  readonly onAgain: () => void
  readonly onRemove: () => void
}

function SpeechCard({ run, onAgain, onRemove }: SpeechCardProps) {
  const { wishes, audio } = run
  const url = useObjectUrl(audio)
  const isRunning = run.state === 'running'
  // Audio without a head got one here.
  const extension = wishes.format === 'pcm' ? 'wav' : wishes.format
  return (
    <article
      aria-label={`Speech: ${wishes.text.slice(0, 80)}`}
      aria-busy={isRunning}
      data-state={run.state}
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-3"
    >
      <header className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <p className="line-clamp-2 break-words">{wishes.text}</p>
          <p className="mt-0.5 text-[12px] break-words text-soft">
            <span
              className="
              font-mono"
            >
              {run.model}
            </span>{' '}
            · {wishes.voice === '' ? 'its own voice' : wishes.voice} · {wishes.format}
          </p>
        </div>
        {url !== null && (
          <a
            href={url}
            download={`speech.${extension}`}
            aria-label="Download the speech"
            className="inline-flex h-7 items-center rounded px-2 text-soft hover:bg-sunken hover:text-text"
          >
            <Download size={14} aria-hidden />
          </a>
        )}
        {!isRunning && (
          <Button look="quiet" className="h-7! px-2!" onClick={onRemove} aria-label="Remove this speech">
            <Trash2 size={14} aria-hidden />
          </Button>
        )}
      </header>
      {isRunning && <Skeleton className="h-12 w-full" />}
      {audio !== null && <AudioPlayer audio={audio} name="the speech" />}
      <RunFooter run={run} onAgain={onAgain} />
    </article>
  )
}
