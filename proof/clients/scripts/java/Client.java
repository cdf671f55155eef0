import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.MultipartField;
import com.openai.core.http.HttpResponse;
import com.openai.core.http.StreamResponse;
import com.openai.errors.OpenAIServiceException;
import com.openai.helpers.ChatCompletionAccumulator;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.audio.speech.SpeechCreateParams;
import com.openai.models.audio.transcriptions.TranscriptionCreateParams;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionContentPart;
import com.openai.models.chat.completions.ChatCompletionContentPartImage;
import com.openai.models.chat.completions.ChatCompletionContentPartText;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import com.openai.models.completions.CompletionCreateParams;
import com.openai.models.embeddings.EmbeddingCreateParams;
import com.openai.models.images.ImageGenerateParams;
import com.openai.models.moderations.ModerationCreateParams;
import com.openai.models.responses.ResponseCreateParams;
import com.openai.models.responses.ResponseStreamEvent;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;
import java.util.Map;

/** openai-java: every endpoint that it has and the gateway serves. */
public final class Client {
  private static final String MODEL = "svc-gpt";
  private static final String SPEECH = "openai/gpt-4o-mini-tts-2025-12-15";
  /** One red pixel. */
  private static final String PNG =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  private static final OpenAIClient client =
      OpenAIOkHttpClient.builder()
          .baseUrl(System.getenv("SVC_BASE_URL") + "/v1")
          .apiKey(System.getenv("SVC_API_KEY"))
          .maxRetries(0)
          .build();

  /** What a city has: the schema is made of it. */
  public static class City {
    public String name;
    public int inhabitants;
  }

  private interface Work {
    void run() throws Exception;
  }

  /** Prints whether the work ended without an error. */
  private static void feature(String name, Work work) {
    String rest = "\"passed\":true";
    try {
      work.run();
    } catch (Exception error) {
      String why = String.valueOf(error).replaceAll("[\\\\\"\\p{Cntrl}]", " ");
      rest = "\"passed\":false,\"why\":\"" + why + "\"";
    }
    System.out.println("{\"feature\":\"" + name + "\"," + rest + "}");
  }

  private static void check(boolean isTrue) {
    if (!isTrue) throw new IllegalStateException("an answer is not as it should be");
  }

  private static ChatCompletionCreateParams.Builder asked(String model, String text) {
    return ChatCompletionCreateParams.builder().model(model).addUserMessage(text);
  }

  private static String textOf(ChatCompletion answer) {
    return answer.choices().get(0).message().content().orElse("");
  }

  private static void tools() {
    Map<String, String> number = Map.of("type", "number");
    FunctionParameters parameters =
        FunctionParameters.builder()
            .putAdditionalProperty("type", JsonValue.from("object"))
            .putAdditionalProperty("properties", JsonValue.from(Map.of("a", number, "b", number)))
            .putAdditionalProperty("required", JsonValue.from(List.of("a", "b")))
            .build();
    ChatCompletionCreateParams.Builder params =
        asked(MODEL, "Use add on 2 and 3.")
            .addFunctionTool(FunctionDefinition.builder().name("add").parameters(parameters).build());
    ChatCompletion first = client.chat().completions().create(params.build());
    var message = first.choices().get(0).message();
    String id = message.toolCalls().orElseThrow().get(0).asFunction().id();
    params.addMessage(message);
    params.addMessage(ChatCompletionToolMessageParam.builder().toolCallId(id).content("4217").build());
    check(textOf(client.chat().completions().create(params.build())).contains("4217"));
  }

  private static void images() {
    var image = ChatCompletionContentPartImage.ImageUrl.builder().url("data:image/png;base64," + PNG).build();
    List<ChatCompletionContentPart> parts =
        List.of(
            ChatCompletionContentPart.ofText(ChatCompletionContentPartText.builder().text("What is it?").build()),
            ChatCompletionContentPart.ofImageUrl(ChatCompletionContentPartImage.builder().imageUrl(image).build()));
    var params = ChatCompletionCreateParams.builder().model(MODEL).addUserMessageOfArrayOfContentParts(parts);
    check(textOf(client.chat().completions().create(params.build())).toLowerCase().contains("png"));
  }

  private static byte[] spoken() throws Exception {
    var params =
        SpeechCreateParams.builder()
            .model(SPEECH)
            .input("Hello there.")
            .voice("nova")
            .responseFormat(SpeechCreateParams.ResponseFormat.WAV)
            .build();
    try (HttpResponse answer = client.audio().speech().create(params)) {
      return answer.body().readAllBytes();
    }
  }

  private static void failure(String model, int status, String code) {
    try {
      client.chat().completions().create(asked(model, "Say hello.").build());
    } catch (OpenAIServiceException refused) {
      if (refused.statusCode() == status && refused.code().orElse("").equals(code)) return;
      throw refused;
    }
    throw new IllegalStateException("the call was not refused");
  }

  public static void main(String[] words) {
    feature("chat", () -> check(!textOf(client.chat().completions().create(asked(MODEL, "Say hello.").build())).isEmpty()));
    feature(
        "stream",
        () -> {
          ChatCompletionAccumulator whole = ChatCompletionAccumulator.create();
          var params = asked(MODEL, "Say hello.").build();
          try (StreamResponse<ChatCompletionChunk> chunks = client.chat().completions().createStreaming(params)) {
            chunks.stream().forEach(whole::accumulate);
          }
          check(!textOf(whole.chatCompletion()).isEmpty());
        });
    feature("tools", Client::tools);
    feature(
        "schema",
        () -> {
          var params = asked(MODEL, "Say hello.").responseFormat(City.class).build();
          var answer = client.chat().completions().create(params);
          check(answer.choices().get(0).message().content().orElseThrow().name != null);
        });
    feature("images_in", Client::images);
    feature(
        "responses",
        () -> {
          var params = ResponseCreateParams.builder().model(MODEL).input("Say hello.").build();
          check(!client.responses().create(params).output().isEmpty());
          try (StreamResponse<ResponseStreamEvent> events = client.responses().createStreaming(params)) {
            check(events.stream().anyMatch(ResponseStreamEvent::isCompleted));
          }
        });
    feature(
        "completions",
        () -> {
          var params = CompletionCreateParams.builder().model(MODEL).prompt("Say hello.").maxTokens(40).build();
          check(!client.completions().create(params).choices().get(0).text().isEmpty());
        });
    feature(
        "embeddings",
        () -> {
          var params =
              EmbeddingCreateParams.builder()
                  .model("text-embedding-3-small")
                  .inputOfArrayOfStrings(List.of("One.", "Two."))
                  .build();
          check(client.embeddings().create(params).data().get(1).embedding().size() == 1536);
        });
    feature(
        "images",
        () -> {
          var params = ImageGenerateParams.builder().model("svc-image").prompt("A lighthouse.").build();
          check(client.images().generate(params).data().orElseThrow().get(0).b64Json().isPresent());
        });
    feature("speech", () -> check(new String(spoken(), 0, 4).equals("RIFF")));
    feature(
        "transcription",
        () -> {
          var file =
              MultipartField.<InputStream>builder()
                  .value(new ByteArrayInputStream(spoken()))
                  .filename("hello.wav")
                  .build();
          var params = TranscriptionCreateParams.builder().model("openai/whisper-1").file(file).build();
          check(!client.audio().transcriptions().create(params).asTranscription().text().isEmpty());
        });
    feature(
        "moderations",
        () -> {
          var params = ModerationCreateParams.builder().input("How to kill a process").build();
          check(client.moderations().create(params).results().get(0).flagged());
        });
    feature("models", () -> check(client.models().list().data().stream().anyMatch(model -> model.id().equals(MODEL))));
    feature("error", () -> failure("no-such-model", 404, "model_not_found"));
    feature("credits", () -> failure("svc-sandbox/402", 402, "insufficient_credits"));
    client.close();
  }
}
