import { Command, Option } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { collect, decimal, examples, paidOptions, wholeNumber } from './define.ts'

export function chatCommand(start: Start) {
  return new Command('chat')
    .summary('ask a model, or talk with it')
    .description(
      'Asks a model and prints the answer as it comes; the charge follows on standard error.\n' +
        'Without a prompt it begins a conversation. A piped text is the prompt, or is attached to the one given.',
    )
    .argument('[prompt...]', 'what to ask')
    .option('-m, --model <id>', 'the model (default: that of the profile, else svc-gpt)')
    .option('-s, --system <text>', 'instructions for the model')
    .option('-a, --attach <file>', 'attach an image, PDF, recording or text; can be repeated', collect)
    .option('-i, --image <file>', 'attach an image; can be repeated', collect)
    .option('-c, --continue', 'go on with the last conversation')
    .addOption(new Option('--conversation <id>', 'go on with this one; `svc history` lists them').conflicts('continue'))
    .addOption(new Option('--history', 'keep the conversation, also in a script'))
    .addOption(new Option('--no-history', 'do not keep it'))
    .option('--schema <file>', 'the JSON Schema that the answer follows; a file, or the schema itself')
    .option('--tools <file>', 'tools that the model may call, as JSON; its calls are printed, and not run')
    .option('--tool-result <id=text>', 'what a call gave, with -c; can be repeated', collect)
    .option('--max-tokens <count>', 'most tokens of the answer', wholeNumber)
    .option('--temperature <number>', 'how freely it answers, 0 to 2', decimal)
    .addOption(new Option('--stream', 'print the answer as it comes; with --json one event a line'))
    .addOption(new Option('--no-stream', 'wait for the whole answer'))
    .addOption(paidOptions.maxCredits)
    .addOption(paidOptions.quote)
    .addHelpText(
      'after',
      examples(
        'svc chat "Why is the sky blue?"',
        'svc chat -m svc-claude "Summarise this" < notes.txt',
        'svc chat -a photo.jpg -a notes.pdf "Do they agree?"',
        'svc chat -c "And in one sentence?"',
        'svc chat --schema person.json "Ada Lovelace, 36"',
        'svc chat --json "One word" | jq -r .choices[0].message.content',
        'svc chat --max-credits 5 "A long story"',
        'svc chat --quote -a notes.pdf "What does it say?"',
        'svc chat',
      ),
    )
    .action((prompt, options, command) =>
      start(command, async (context) => {
        const { chat } = await import('../actions/chat.ts')
        const chosen = <Value>(name: 'stream' | 'history', value: Value): Value | undefined =>
          command.getOptionValueSource(name) === 'cli' ? value : undefined
        const stream = chosen('stream', options.stream)
        await chat(context, prompt, { ...options, stream, history: chosen('history', options.history) })
      }),
    )
}
