import { Command, Option } from '@commander-js/extra-typings'
import type { Start } from '../start.ts'
import { collect, decimal, examples, wholeNumber } from './define.ts'

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
    .option('-i, --image <file>', 'attach an image; can be repeated', collect)
    .option('--max-tokens <count>', 'most tokens of the answer', wholeNumber)
    .option('--temperature <number>', 'how freely it answers, 0 to 2', decimal)
    .addOption(new Option('--stream', 'print the answer as it comes; with --json one event a line'))
    .addOption(new Option('--no-stream', 'wait for the whole answer'))
    .addHelpText(
      'after',
      examples(
        'svc chat "Why is the sky blue?"',
        'svc chat -m svc-claude "Summarise this" < notes.txt',
        'svc chat --image photo.jpg "What is on it?"',
        'svc chat --json "One word" | jq -r .choices[0].message.content',
        'svc chat',
      ),
    )
    .action((prompt, options, command) =>
      start(command, async (context) => {
        const { chat } = await import('../actions/chat.ts')
        const chosen = command.getOptionValueSource('stream') === 'cli' ? options.stream : undefined
        await chat(context, prompt, { ...options, stream: chosen })
      }),
    )
}
