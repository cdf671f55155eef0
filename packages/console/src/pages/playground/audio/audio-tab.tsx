import { SpeechPanel } from './speech-panel.tsx'
import { TranscriptPanel } from './transcript-panel.tsx'

/** Speech from text, and text from speech. */
export function AudioTab() {
  return (
    <div className="grid items-start gap-x-8 gap-y-10 lg:grid-cols-2">
      <SpeechPanel />
      <TranscriptPanel />
    </div>
  )
}
