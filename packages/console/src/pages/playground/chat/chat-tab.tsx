import { useSuspenseQuery } from '@tanstack/react-query'
import { SlidersHorizontal } from 'lucide-react'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { modelsQuery } from '../../../api/team.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { CodeDialog } from '../../../samples/code-dialog.tsx'
import { chatCode } from '../../../samples/request-code.ts'
import { useAskedModel, useForgetAsked } from '../asked-model.ts'
import { tokenChoices } from '../model-choices.tsx'
import { type ImageInput, useImageInput } from '../image-input.tsx'
import { usePlay } from '../use-play.ts'
import { chatBodyOf, sizeOf } from './chat-request.ts'
import { ChatSettings } from './chat-settings.tsx'
import { type ChatStore, chatStoreOf } from './chat-store.ts'
import { Composer, type Draft, useDraft } from './composer.tsx'
import { addTurn, answersOf, type Conversation, pathOf } from './conversation.ts'
import { settingsProblem } from './tool-rounds.ts'
import { ConversationMenu } from './conversation-menu.tsx'
import { TurnView } from './turn-view.tsx'
import { useFollow } from './use-follow.ts'

const FIRST_MODEL = 'svc-gpt'
const FILES_MAX = 8

function useChat(): { store: ChatStore; models: ReturnType<typeof useTextModels> } {
  const { owner, onCharged } = usePlay()
  const models = useTextModels()
  const first = models.find(({ id }) => id === FIRST_MODEL)?.id ?? models[0]?.id ?? FIRST_MODEL
  const store = useMemo(() => chatStoreOf(owner, [first]), [owner, first])
  useEffect(() => {
    store.onCharged = onCharged
  }, [store, onCharged])
  const asked = useAskedModel(models)
  const forget = useForgetAsked()
  const { isReady } = useSyncExternalStore(store.subscribe, store.snapshot)
  useEffect(() => {
    if (asked === null || !isReady) return
    store.startNew()
    store.setModels([asked])
    forget()
  }, [asked, isReady, store, forget])
  return { store, models }
}

function useTextModels() {
  const { data } = useSuspenseQuery(modelsQuery).data
  return useMemo(() => data.filter(({ svc }) => svc.credits_per_1m_output !== null), [data])
}

/** Chat: the conversation in the middle, what it is asked with beside it. */
export function ChatTab() {
  const { store, models } = useChat()
  const state = useSyncExternalStore(store.subscribe, store.snapshot)
  const conversation = store.current
  const draft = useDraft()
  const images = useImageInput(FILES_MAX, true)
  const [open, setOpen] = useState<'code' | 'settings' | null>(null)
  const next = addTurn(conversation, { id: 'next', text: draft.text, images: images.images })
  const shownAsCode = isDrafted(draft, images) || conversation.head === null ? next : conversation
  const isRunning = answersOf(conversation).some((answer) => answer.state === 'running')
  // While an answer comes there is nothing to send, and its price would be asked anew with each word.
  const sizes = isRunning ? [] : next.models.map((_, lane) => sizeOf(chatBodyOf(next, lane)))
  const send = (): void => {
    store.send({ text: draft.text, images: images.images })
    draft.set('')
    images.set([])
  }
  const settings = (
    <ChatSettings
      key={conversation.id}
      models={conversation.models}
      parameters={conversation.parameters}
      choices={tokenChoices(models)}
      onModels={(ids) => store.setModels(ids)}
      onParameters={(parameters) => store.setParameters(parameters)}
    />
  )
  return (
    <div className="grid flex-1 gap-6 lg:grid-cols-[minmax(0,1fr)_260px]">
      <div className="flex min-w-0 flex-col gap-4">
        <div className="flex justify-between">
          <ConversationMenu store={store} state={state} />
          <Button look="quiet" className="px-2! lg:hidden" onClick={() => setOpen('settings')}>
            <SlidersHorizontal size={14} aria-hidden />
            Settings
          </Button>
        </div>
        <Turns store={store} conversation={conversation} isReady={state.isReady} />
        <div
          className="sticky bottom-0 z-[5] -mt-2 -mb-[calc(var(--bar)+2rem)] bg-ground pt-2
            pb-[calc(var(--bar)+0.75rem)] md:-mb-12 md:pb-4"
        >
          <Composer
            place={`${conversation.id} ${conversation.head} ${conversation.models.join(' ')}`}
            draft={draft}
            images={images}
            sizes={sizes}
            isRunning={isRunning}
            problem={settingsProblem(conversation.parameters)}
            onSend={send}
            onStop={() => store.stop()}
            onCode={() => setOpen('code')}
          />
        </div>
      </div>
      <aside aria-label="Settings" className="hidden lg:block">
        <div className="sticky top-20">{settings}</div>
      </aside>
      {open === 'settings' && (
        <Dialog title="Settings" look="drawer" onClose={() => setOpen(null)}>
          {settings}
        </Dialog>
      )}
      {open === 'code' && (
        <CodeDialog
          code={(place) => chatCode(place, { ...chatBodyOf(shownAsCode, 0), stream: true })}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  )
}

const isDrafted = (draft: Draft, input: ImageInput): boolean => draft.text !== '' || input.images.length > 0

interface TurnsProps {
  readonly store: ChatStore
  readonly conversation: Conversation
  readonly isReady: boolean
}

function Turns({ store, conversation, isReady }: TurnsProps) {
  const path = pathOf(conversation)
  const { length } = path
  const grows = useFollow(`${conversation.id} ${length}`)
  if (isReady && length === 0) {
    return (
      <div className="flex flex-1 flex-col items-center justify-center gap-2 px-4 text-center">
        <p className="text-[16px] font-medium">Ask a model something</p>
        <p className="max-w-sm text-soft">
          It spends the team’s credits, and says to the last digit what it came to. Conversations stay in this browser.
        </p>
      </div>
    )
  }
  return (
    <div ref={grows} className="flex flex-1 flex-col">
      <ol aria-label="Conversation" className="flex flex-1 flex-col gap-6">
        {path.map((turn) => (
          <TurnView key={turn.id} store={store} conversation={conversation} turn={turn} />
        ))}
      </ol>
      <Announcement conversation={conversation} />
    </div>
  )
}

/** Tells screen readers that an answer began and how it ended; the words themselves can be read in their place. */
function Announcement({ conversation }: { readonly conversation: Conversation }) {
  const answers =
    pathOf(conversation)
      .at(-1)
      ?.lanes.flatMap((each) => each.slice(-1)) ?? []
  const texts = answers.map(({ model, state, charge, text }) => {
    if (state === 'running') return `${model} is answering.`
    const cost = charge === null ? '' : ` It cost ${charge} credits.`
    return state === 'failed' ? `${model} did not answer.${cost}` : `${model}: ${text.slice(0, 300)}${cost}`
  })
  return (
    <p aria-live="polite" className="sr-only">
      {texts.join(' ')}
    </p>
  )
}
