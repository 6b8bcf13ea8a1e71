
// Generated from MtfLexer.g4 by ANTLR 4.7.2

#pragma once


#include "antlr4-runtime.h"




class  MtfLexer : public antlr4::Lexer {
public:
  enum {
    INTERPOLATION_CLOSE = 1, FORMAT_COLON = 2, STRING_BROKEN = 3, DIM = 4, 
    MESH = 5, LAYOUT = 6, USE = 7, OPTION = 8, SEED = 9, PRECISION = 10, 
    IMPORT = 11, LET = 12, PARAM = 13, STATE = 14, MODEL = 15, FN = 16, 
    FOR = 17, WHILE = 18, IF = 19, ELSE = 20, RETURN = 21, ASSERT = 22, 
    COUNTERS = 23, NO_GRAD = 24, F32 = 25, F64 = 26, BF16 = 27, I32 = 28, 
    BOOL = 29, AS = 30, IN = 31, AND = 32, OR = 33, NOT = 34, TRUE = 35, 
    FALSE = 36, IDENT = 37, FLOAT = 38, INT = 39, LPAREN = 40, RPAREN = 41, 
    LBRACKET = 42, RBRACKET = 43, LBRACE = 44, RBRACE = 45, DEFINE = 46, 
    COLON = 47, ARROW = 48, EQUAL = 49, NOT_EQUAL = 50, LESS_EQUAL = 51, 
    GREATER_EQUAL = 52, LESS = 53, GREATER = 54, ASSIGN = 55, FLOOR_DIVIDE = 56, 
    PLUS = 57, MINUS = 58, STAR = 59, SLASH = 60, PERCENT = 61, CARET = 62, 
    AT = 63, DOTDOT = 64, DOT = 65, COMMA = 66, SEMICOLON = 67, STRING_OPEN = 68, 
    NEWLINE = 69, COMMENT = 70, SPACE = 71, UNKNOWN = 72, STRING_TEXT = 73, 
    STRING_CLOSE = 74, INTERPOLATION_OPEN = 75, BAD_ESCAPE = 76, LONE_BRACE = 77, 
    FORMAT_TEXT = 78
  };

  enum {
    STRING = 1, FORMAT = 2
  };

  MtfLexer(antlr4::CharStream *input);
  ~MtfLexer();


    // '(' '[' '{', and 'i' for the `{` of a string.
    std::vector<char> open_;

    bool in_interpolation() const { return !open_.empty() && open_.back() == 'i'; }

    void close() {
      if (!open_.empty() && open_.back() != 'i') open_.pop_back();
    }

    void close_brace() {
      if (!in_interpolation()) return close();
      open_.pop_back();
      setType(INTERPOLATION_CLOSE);
      popMode();
    }

    void colon() {
      if (!in_interpolation()) return;
      setType(FORMAT_COLON);
      setMode(FORMAT);
    }

    // In a string's `{x:=^10}` the format begins behind the colon: the `=` is given back.
    void define() {
      if (!in_interpolation()) return;
      _input->seek(_input->index() - 1);
      colon();
    }

    // A string, with all that it contains, ends with its line.
    void line_end() {
      if (modeStack.empty()) return;
      while (!modeStack.empty()) popMode();
      size_t kept = 0;
      while (kept < open_.size() && open_[kept] != 'i') ++kept;
      open_.resize(kept);
      setType(STRING_BROKEN);
    }

  virtual std::string getGrammarFileName() const override;
  virtual const std::vector<std::string>& getRuleNames() const override;

  virtual const std::vector<std::string>& getChannelNames() const override;
  virtual const std::vector<std::string>& getModeNames() const override;
  virtual const std::vector<std::string>& getTokenNames() const override; // deprecated, use vocabulary instead
  virtual antlr4::dfa::Vocabulary& getVocabulary() const override;

  virtual const std::vector<uint16_t> getSerializedATN() const override;
  virtual const antlr4::atn::ATN& getATN() const override;

  virtual void action(antlr4::RuleContext *context, size_t ruleIndex, size_t actionIndex) override;
private:
  static std::vector<antlr4::dfa::DFA> _decisionToDFA;
  static antlr4::atn::PredictionContextCache _sharedContextCache;
  static std::vector<std::string> _ruleNames;
  static std::vector<std::string> _tokenNames;
  static std::vector<std::string> _channelNames;
  static std::vector<std::string> _modeNames;

  static std::vector<std::string> _literalNames;
  static std::vector<std::string> _symbolicNames;
  static antlr4::dfa::Vocabulary _vocabulary;
  static antlr4::atn::ATN _atn;
  static std::vector<uint16_t> _serializedATN;


  // Individual action functions triggered by action() above.
  void LPARENAction(antlr4::RuleContext *context, size_t actionIndex);
  void RPARENAction(antlr4::RuleContext *context, size_t actionIndex);
  void LBRACKETAction(antlr4::RuleContext *context, size_t actionIndex);
  void RBRACKETAction(antlr4::RuleContext *context, size_t actionIndex);
  void LBRACEAction(antlr4::RuleContext *context, size_t actionIndex);
  void RBRACEAction(antlr4::RuleContext *context, size_t actionIndex);
  void DEFINEAction(antlr4::RuleContext *context, size_t actionIndex);
  void COLONAction(antlr4::RuleContext *context, size_t actionIndex);
  void NEWLINEAction(antlr4::RuleContext *context, size_t actionIndex);
  void INTERPOLATION_OPENAction(antlr4::RuleContext *context, size_t actionIndex);
  void STRING_LINE_ENDAction(antlr4::RuleContext *context, size_t actionIndex);
  void FORMAT_CLOSEAction(antlr4::RuleContext *context, size_t actionIndex);
  void FORMAT_LINE_ENDAction(antlr4::RuleContext *context, size_t actionIndex);

  // Individual semantic predicate functions triggered by sempred() above.

  struct Initializer {
    Initializer();
  };
  static Initializer _init;
};

