// Every word and sign, and every kind of error, has help.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "support/diagnostics.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "tool/commands/commands.h"
#include "tool/commands/help_text.h"
#include "tool/present/fitted_text.h"
#include "tool/prompt/repl_commands.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {
namespace {

TEST(Help, EachKindOfErrorHasAPageWithItsHeadline) {
  for (const KindRecord& kind : all_kinds())
    EXPECT_NE(help_text(std::string(kind.name)).find(kind.headline), std::string::npos) << kind.name;
  EXPECT_EQ(session::error_pages(standard_library()).size(), all_kinds().size());
}

TEST(Help, APageThatHasAProgramShowsTheErrorInIt) {
  for (const session::Page& page : session::error_pages(standard_library())) {
    const bool has_program = page.text.find("#!") != std::string::npos;
    EXPECT_TRUE(!has_program || page.text.find("#! " + page.title) != std::string::npos) << page.title;
  }
}

TEST(Help, EachWordAndSignOfTheLanguageIsExplained) {
  for (const std::string_view word : syntax::reserved_words())
    EXPECT_FALSE(help_text(std::string(word)).empty()) << word;
  for (const char* sign : {"->", "@",  ":=", "=", "==", "!=", "<", "<=", ">", ">=", "+", "-",  "*",   "/",   "//",  "%",
                           "^",  "..", ".",  ",", ";",  ":",  "(", "[",  "{", "\"", "#", "##", ".4f", "int", "like"})
    EXPECT_FALSE(help_text(sign).empty()) << sign;
}

TEST(Help, ParagraphsAreBrokenAnewAndProgramsAreNot) {
  const std::string help = help_text("axis_used_twice");
  EXPECT_NE(help.find("\n    layout both = {batch -> all, hidden -> all}\n"), std::string::npos) << help;
  for (std::size_t begin = 0; begin < help.size();) {
    const std::size_t end = help.find('\n', begin);
    EXPECT_LE(end - begin, 100u);
    begin = end + 1;
  }
}

TEST(Help, EachCommandOfThePromptHasASection) {
  EXPECT_EQ(prompt_pages().size(), repl_commands().size());
  for (const ReplCommand& command : repl_commands()) {
    const std::string help = help_text(std::string(command.name));
    EXPECT_TRUE(help.starts_with(command.name)) << help;
    EXPECT_GT(std::count(help.begin(), help.end(), '\n'), 3) << help;  // more than its line in the list
  }
  for (const session::Page& page : prompt_pages()) {
    ASSERT_EQ(page.words.size(), 1u) << page.title;
    EXPECT_TRUE(std::any_of(repl_commands().begin(), repl_commands().end(), [&](const ReplCommand& command) {
      return command.name == page.words[0];
    })) << page.title;
  }
}

TEST(Help, WordsThatPeopleLookUp) {
  for (const char* word : {"shape",  "dtype",  "Adam",   "Dense",   "loss",       "optimizer",  "matmul",   "transpose",
                           "random", "normal", "batch",  "lambda",  "all_reduce", "collective", "sharding", "replicate",
                           "mixed",  "flops",  "memory", "machine", "save",       "prompt",     "#>",       "->"})
    EXPECT_GT(help_text(word).size(), 40u) << word;
  EXPECT_NE(help_text("Adam").find("optim: "), std::string::npos);
  EXPECT_NE(help_text("linear").find("nn.Dense"), std::string::npos);
  EXPECT_NE(help_text("loss").find("losses"), std::string::npos);
  EXPECT_NE(help_text("normal").find("random.normal("), std::string::npos);
  EXPECT_NE(help_text("save").find(":save FILE"), std::string::npos);
}

// What people know from other systems, in any case, with blanks or without.
TEST(Help, WordsOfOtherSystems) {
  for (const std::string& word : split(
           "adam,adamw,sgd,momentum,rmsprop,lion,batchnorm,layernorm,rmsnorm,groupnorm,embedding,linear,dense,mlp,"
           "conv2d,"
           "maxpool,avgpool,pooling,padding,lstm,gru,rnn,recurrent,attention,mask,causal,rotary,rope,alibi,kv cache,"
           "dropout,train,eval,inference,freeze,detach,stop_gradient,requires_grad,no_grad,learning "
           "rate,scheduler,warmup,"
           "cosine,gradient accumulation,micro batch,clip,norm,std,variance,median,histogram,softmax,cross "
           "entropy,bce,mse,"
           "kl,huber,shuffle,epoch,minibatch,dataloader,dataset,csv,json,parquet,save,load,checkpoint,safetensors,"
           "state_dict,sampling,categorical,multinomial,temperature,top_k,beam,index,slicing,transpose,permute,squeeze,"
           "unsqueeze,view,expand,broadcast,tuple,dict,list comprehension,lambda,class,comment,import,nan,inf,isnan,"
           "isfinite,pi,e,seed,random,rng,dtype,float16,half,bfloat16,int64,double,device,cuda,gpu,mpirun,ranks,"
           "distributed,ddp,fsdp,zero,tensor parallel,pipeline,expert parallel,sequence parallel,profile,debug,trace,"
           "timeline,report,memory,oom,golden,test,assert,snapshot,example,tutorial,tour,getting started,plot,loss "
           "curve,"
           "image,png,tensorboard,wandb,twin,prime,same dim twice",
           ',')) {
    std::string upper = word, title = word;
    for (char& c : upper) c = static_cast<char>(std::toupper(c));
    title[0] = static_cast<char>(std::toupper(title[0]));
    for (const std::string& each : {word, upper, title}) {
      SCOPED_TRACE(each);
      EXPECT_GT(help_text(each).size(), 20u);
    }
  }
  for (const char* word : {"BATCHNORM", "batch norm", "Batch-Norm", "batch_norm"})
    EXPECT_NE(help_text(word).find("model BatchNorm("), std::string::npos) << word;
  EXPECT_EQ(help_text("multinomial"), "multinomial\n  here it is `random.categorical`\n");
}

/// The help on words of other systems.
const std::pair<std::string_view, std::string_view> kForeignHelps[] = {
#define MTF_FOREIGN(where, form, instead, help) {form, help},
#include "syntax/foreign.def"
#undef MTF_FOREIGN
};

TEST(Help, FunctionsOfModulesInTheHelpOnOtherSystemsAreThere) {
  std::set<std::string> modules;
  for (const char* module : {"nn", "optim", "losses", "data", "decode", "checkpoint", "metrics", "moe", "transformer",
                             "vision", "logs", "random", "init"})
    modules.insert(module);
  const std::regex part("\\b([a-z]+)\\.([A-Za-z_]+)");
  std::set<std::string> found;
  for (const auto& [form, help] : kForeignHelps) {
    const std::string text(help);
    for (std::sregex_iterator match(text.begin(), text.end(), part), end; match != end; ++match) {
      if (!modules.contains((*match)[1]) || match->str() == "nn.training") continue;
      if (!found.insert(match->str()).second) continue;
      EXPECT_GT(help_text(match->str()).size(), 20u) << match->str() << " in the help on " << form;
    }
  }
  EXPECT_GT(found.size(), 30u);
  for (const char* member : {".shuffled", "logs.log"})
    for (const auto& [form, help] : kForeignHelps) EXPECT_EQ(help.find(member), std::string::npos) << form;
}

TEST(Help, ThePageOnPlanningHasCommandsToPaste) {
  const std::string page = library_page("PLANNING.md");
  EXPECT_NE(page.find("\n  mtf plan examples/llm.mtf --set config="), std::string::npos) << page;
  EXPECT_EQ(page.find("```"), std::string::npos);
}

TEST(Help, ThePageOnRanksNamesHostsAndTheNetwork) {
  const std::string page = library_page("RANKS.md");
  for (const char* word : {"--hostfile hosts", "btl_tcp_if_include", "sbatch", "--shm-size"})
    EXPECT_NE(page.find(word), std::string::npos) << word;
}

TEST(Help, AllOfItIsSearched) {
  const std::string found = list_of_mentions({"Checkpoint", "latest"}, 100);
  EXPECT_LT(found.find("checkpoint "), found.find("checkpoint.load"));
  EXPECT_NE(list_of_mentions({"dataloader"}, 100).find("data."), std::string::npos) << "a word of another system";
  EXPECT_NE(list_of_mentions({"KV", "cache"}, 100).find("decode.sample"), std::string::npos);
  EXPECT_NE(list_of_mentions({"junit"}, 100).find("mtf test"), std::string::npos);
  EXPECT_THROW(list_of_mentions({"nothing of this kind"}, 100), UserError);
}

// Lines of programs keep their width; longer lines are broken between words.
TEST(Help, FitsEachWidthAndIsBrokenOnce) {
  std::vector<std::string> topics = {"nn", "optim", "einsum", "mixed", "axis_used_twice"};
  for (const ReplCommand& command : repl_commands()) topics.emplace_back(command.name);
  for (const Command* command : all_commands()) topics.emplace_back(command->name);
  for (const std::size_t width : {60u, 80u, 120u}) {
    for (const std::string& topic : topics) {
      for (const std::string& line : split(help_text(topic, width), '\n')) {
        const bool has_blank = trim(line).find(' ') != std::string_view::npos;
        EXPECT_TRUE(count_code_points(line) <= width || !has_blank) << topic << " at " << width << ": " << line;
      }
    }
    for (const std::string& text : {list_of_operations(width), list_of_words(width), list_of_errors(width)})
      for (const std::string& line : split(text, '\n')) EXPECT_LE(count_code_points(line), width) << line;
  }
}

TEST(FittedText, BreaksParagraphsAnewAndKeepsWhatIsIndented) {
  EXPECT_EQ(fitted("one two three\nfour five six seven\n\n  kept as it is and more of it\nfive\n", 24),
            "one two three four five\nsix seven\n\n  kept as it is and more\n    of it\nfive\n");
  EXPECT_EQ(fitted("  --option NAME  what it says and more is said of it\n", 40),
            "  --option NAME  what it says and more\n                 is said of it\n");
  EXPECT_EQ(fitted("a summary\nUsage: mtf run\n", 60), "a summary\nUsage: mtf run\n");
  EXPECT_EQ(fitted("- an item that is too long\n- another\n", 24, "  "),
            "  - an item that is too\n    long\n  - another\n");
}

TEST(Help, SuggestsWhatWasMeant) {
  try {
    help_text("axis_used_twise");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.diagnostic().helps(), std::vector<std::string>{"did you mean `axis_used_twice`?"});
  }
}

}  // namespace
}  // namespace mtf::tool
