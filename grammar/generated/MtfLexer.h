
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
    COUNTERS = 23, F32 = 24, F64 = 25, BF16 = 26, I32 = 27, BOOL = 28, AS = 29, 
    IN = 30, AND = 31, OR = 32, NOT = 33, TRUE = 34, FALSE = 35, IDENT = 36, 
    FLOAT = 37, INT = 38, LPAREN = 39, RPAREN = 40, LBRACKET = 41, RBRACKET = 42, 
    LBRACE = 43, RBRACE = 44, DEFINE = 45, COLON = 46, ARROW = 47, EQUAL = 48, 
    NOT_EQUAL = 49, LESS_EQUAL = 50, GREATER_EQUAL = 51, LESS = 52, GREATER = 53, 
    ASSIGN = 54, FLOOR_DIVIDE = 55, PLUS = 56, MINUS = 57, STAR = 58, SLASH = 59, 
    PERCENT = 60, CARET = 61, AT = 62, DOTDOT = 63, DOT = 64, COMMA = 65, 
    SEMICOLON = 66, STRING_OPEN = 67, NEWLINE = 68, COMMENT = 69, SPACE = 70, 
    UNKNOWN = 71, STRING_TEXT = 72, STRING_CLOSE = 73, INTERPOLATION_OPEN = 74, 
    BAD_ESCAPE = 75, LONE_BRACE = 76, FORMAT_TEXT = 77
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

