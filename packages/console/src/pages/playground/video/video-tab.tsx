import { type Exact, shortDecimal, type VideoModelEntry } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/page.tsx'
import { SelectField } from '../../../ui/select-field.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { CodeDialog } from '../../../samples/code-dialog.tsx'
import { videoCode } from '../../../samples/video-code.ts'
import { ModelPicker } from '../model-picker.tsx'
import { NumberField } from '../number-field.tsx'
import { factsOf } from '../pay/failure-facts.ts'
import { PlayFailure } from '../pay/play-failure.tsx'
import { useImageInput } from '../image-input.tsx'
import { PlayFrame } from '../play-frame.tsx'
import { videoModelsQuery } from '../../../api/media-models.ts'
import { PromptForm } from '../prompt-form.tsx'
import { useVideos } from './use-videos.ts'
import { VideoCard } from './video-card.tsx'
import { useAskedModel } from '../asked-model.ts'
import { canBeSilent, sizeOf, videoBodyOf, type VideoWishes } from './video-request.ts'

const EXAMPLE = 'A paper boat on a river at dawn'
const SECONDS_UNKNOWN = [4, 5, 6, 8, 10]

function firstWishes(model: Exact<VideoModelEntry> | undefined): VideoWishes {
  return {
    model: model?.id ?? '',
    prompt: '',
    seconds: model?.default_duration ?? 4,
    resolution: '',
    aspect: '',
    hasAudio: true,
    seed: null,
    firstFrame: null,
  }
}

const dearness = (model: Exact<VideoModelEntry>): number => Number(model.credits_per_second ?? Infinity)

/** Videos: asked for here, made elsewhere, seen here when they are done. */
export function VideoTab() {
  const { data: models } = useSuspenseQuery(videoModelsQuery).data
  // A first try shall not be the dearest one.
  const cheapest = models.toSorted((one, other) => dearness(one) - dearness(other))[0]
  const asked = useAskedModel(models)
  const [wishes, setWishes] = useState(() => firstWishes(models.find(({ id }) => id === asked) ?? cheapest))
  const set = (change: Partial<VideoWishes>): void => setWishes((before) => ({ ...before, ...change }))
  const model = models.find(({ id }) => id === wishes.model)
  const input = useImageInput(1)
  const { list, jobs, submit, noteOf, error, again } = useVideos()
  const [showsCode, setCode] = useState(false)
  const body = videoBodyOf({ ...wishes, firstFrame: input.images[0] ?? null }, canBeSilent(model))
  return (
    <PlayFrame settings={<VideoSettings models={models} model={model} wishes={wishes} onSet={set} />}>
      <PromptForm
        label="What the video shows"
        placeholder={EXAMPLE}
        text={wishes.prompt}
        onText={(prompt) => set({ prompt })}
        size={sizeOf(body)}
        action="Make it"
        content={JSON.stringify([wishes, input.images.map(({ name }) => name)])}
        onSubmit={() => submit.mutate(body)}
        onCode={() => setCode(true)}
        images={{ input, label: 'Begin with an image' }}
      />
      {submit.error !== null && <PlayFailure facts={factsOf(submit.error)} onAgain={() => submit.mutate(body)} />}
      {error !== null && <PlayFailure facts={factsOf(error)} onAgain={again} />}
      {list.isPending && <Skeleton className="h-64 w-full" />}
      {list.isSuccess && jobs.length === 0 && !submit.isPending && (
        <Empty
          text="Say what a video shall show. It takes a while; you may leave the page meanwhile."
          action={
            <Button look="secondary" onClick={() => set({ prompt: EXAMPLE })}>
              Take an example
            </Button>
          }
        />
      )}
      <div className="grid items-start gap-4 md:grid-cols-2">
        {submit.isPending && <Skeleton className="h-64 w-full" />}
        {jobs.map((job) => (
          <VideoCard key={job.id} job={job} note={noteOf(job.id)} />
        ))}
      </div>
      {list.hasNextPage && (
        <Button look="secondary" className="self-center" onClick={() => void list.fetchNextPage()}>
          Older videos
        </Button>
      )}
      {showsCode && <CodeDialog code={(place) => videoCode(place, { ...body })} onClose={() => setCode(false)} />}
    </PlayFrame>
  )
}

interface VideoSettingsProps {
  readonly models: readonly Exact<VideoModelEntry>[]
  readonly model: Exact<VideoModelEntry> | undefined
  readonly wishes: VideoWishes
  readonly onSet: (change: Partial<VideoWishes>) => void
}

function VideoSettings({ models, model, wishes, onSet }: VideoSettingsProps) {
  const choices = models.map(({ id, name, credits_per_second: credits }) => ({
    id,
    name,
    price: credits === null ? 'price varies' : `${shortDecimal(credits)} per second`,
  }))
  const durations =
    model === undefined || model.supported_durations.length === 0 ? SECONDS_UNKNOWN : model.supported_durations
  const own = model?.default_resolution ?? null
  return (
    <>
      <div className="flex flex-col gap-1.5">
        <span className="font-medium">Model</span>
        <ModelPicker
          label="Model"
          value={wishes.model}
          choices={choices}
          onPick={(id) => {
            const next = models.find((each) => each.id === id)
            onSet({ model: id, seconds: next?.default_duration ?? 4, resolution: '', aspect: '' })
          }}
        />
      </div>
      <SelectField
        label="Length"
        value={String(wishes.seconds)}
        options={durations.map((seconds) => ({ value: String(seconds), text: `${seconds} seconds` }))}
        onPick={(seconds) => onSet({ seconds: Number(seconds) })}
      />
      <SelectField
        label="Resolution"
        value={wishes.resolution}
        options={[
          { value: '', text: own === null ? 'The model’s own' : `The model’s own (${own})` },
          ...(model?.supported_resolutions ?? []).map((value) => ({ value, text: value })),
        ]}
        onPick={(resolution) => onSet({ resolution })}
      />
      {model !== undefined && model.supported_aspect_ratios.length > 0 && (
        <SelectField
          label="Aspect"
          value={wishes.aspect}
          options={[
            { value: '', text: 'The model’s own' },
            ...model.supported_aspect_ratios.map((value) => ({ value, text: value })),
          ]}
          onPick={(aspect) => onSet({ aspect })}
        />
      )}
      {canBeSilent(model) && (
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-[var(--accent)]"
            checked={wishes.hasAudio}
            onChange={(event) => onSet({ hasAudio: event.target.checked })}
          />
          With audio
        </label>
      )}
      <NumberField
        label="Seed"
        value={wishes.seed}
        bounds={{ min: 0, max: 4_294_967_295, step: 1 }}
        onSet={(seed) => onSet({ seed })}
      />
    </>
  )
}
